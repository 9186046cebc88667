import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../settings/paths.ts";
import { CommandFailure, runCommand } from "./command.ts";

const usage = "npm run release -- <version> [--dry-run], such as 0.2.0";

/** The packages that are published, by their folder. */
const PUBLISHED = ["client", "hub", "cli"];
const UNRELEASED = "## [Unreleased]\n";

/**
 * `npm run release -- 0.2.0`: checks what npm would publish, sets this version in every package, moves the changelog's unreleased entries
 * under this version's heading, records the hashes of the migrations (a released migration must not change), commits and tags. It pushes
 * and publishes nothing. With `--dry-run` it only checks.
 */
async function release(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { "dry-run": { type: "boolean" } },
    allowPositionals: true,
    strict: false,
  });
  const [version = "", ...more] = positionals;
  const unknown = Object.keys(values).filter((name) => name !== "dry-run");
  if (!/^\d+\.\d+\.\d+$/.test(version) || more.length + unknown.length > 0)
    throw new CommandFailure(`usage: ${usage}`);
  const tag = `v${version}`;
  if (git("status", "--porcelain") !== "") throw new CommandFailure("commit or stash your changes first");
  if (git("tag", "--list", tag) !== "") throw new CommandFailure(`the tag ${tag} exists already`);
  const changelog = releasedChangelog(read("CHANGELOG.md"), version, new Date());

  for (const name of PUBLISHED) {
    const cwd = join(repositoryRoot, "packages", name);
    execFileSync(process.execPath, ["build.ts"], { cwd, stdio: "inherit" });
    const options = { cwd, stdio: "inherit", shell: process.platform === "win32" } as const;
    execFileSync("npm", ["publish", "--dry-run", "--ignore-scripts"], options);
  }
  if (values["dry-run"]) {
    process.stdout.write(`${version} can be released\n`);
    return;
  }
  write("CHANGELOG.md", changelog);
  for (const file of ["package.json", ...packageFiles()]) write(file, withVersion(read(file), version));
  write("package-lock.json", lockWithVersion(read("package-lock.json"), version));
  write("supabase/released-migrations.json", json(hashesOfMigrations()));
  git("commit", "--quiet", "--all", "--message", `chore(release): ${version}`);
  git("tag", "--annotate", tag, "--message", `Keyhub ${version}`);
  process.stdout.write(
    `tagged ${tag}; next: git push --follow-tags, then ${PUBLISHED.map((name) => `npm publish --workspace @keyhub/${name}`).join(" && ")}\n`,
  );
}

/** Returns the changelog with the unreleased entries under the heading of this version. Throws when there are none. */
export function releasedChangelog(text: string, version: string, now: Date): string {
  const [before = "", after] = text.split(UNRELEASED);
  if (after === undefined) throw new CommandFailure(`CHANGELOG.md has no line "${UNRELEASED.trim()}"`);
  const [entries = ""] = after.split(/^## /m);
  if (!/^- /m.test(entries)) throw new CommandFailure("CHANGELOG.md has no unreleased entry");
  return `${before}${UNRELEASED}\n## [${version}] - ${now.toISOString().slice(0, 10)}\n${after}`;
}

interface Manifest {
  name: string;
  version: string;
  [kind: string]: unknown;
}

/** Returns the text of a package.json in which the package, and its dependencies of this repository, have this version. */
function withVersion(text: string, version: string): string {
  return json(changeVersions(JSON.parse(text) as Manifest, version));
}

function lockWithVersion(text: string, version: string): string {
  const lock = JSON.parse(text) as Manifest & { packages: Record<string, Manifest> };
  for (const [path, manifest] of Object.entries(lock.packages))
    if (path === "" || path.startsWith("packages/")) changeVersions(manifest, version);
  return json({ ...lock, version });
}

function changeVersions(manifest: Manifest, version: string): Manifest {
  manifest.version = version;
  for (const kind of ["dependencies", "devDependencies"]) {
    const named = (manifest[kind] ?? {}) as Record<string, string>;
    for (const name of Object.keys(named)) if (name.startsWith("@keyhub/")) named[name] = version;
  }
  return manifest;
}

function packageFiles(): string[] {
  const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
  return workspaces.map((folder) => `${folder}/package.json`);
}

/** Returns the SHA-256 of each migration, by its file name. */
function hashesOfMigrations(): Record<string, string> {
  const folder = join(repositoryRoot, "supabase", "migrations");
  const hashOf = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((file) => [file, hashOf(file)]),
  );
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const read = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(repositoryRoot, file), text);

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repositoryRoot, encoding: "utf8" }).trim();
}

if (import.meta.main) await runCommand(release);
