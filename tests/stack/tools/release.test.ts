import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { releasedChangelog } from "../../../packages/local/src/cli/release.ts";
import { compileCache, repository, runTool } from "../../support/cli.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let folder: string;

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Tests", "-c", "user.email=tests@keyhub.local", ...args], {
    cwd: folder,
    encoding: "utf8",
  });

/** Copies this working tree into a repository of its own with one commit. */
async function copyTree(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "keyhub-release-"));
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", listed, { cwd: repository, encoding: "utf8" }).split("\0");
  const wanted = files.filter((file) => file !== "" && !/^(tests|docs)\//.test(file));
  await Promise.all(wanted.map((file) => cp(join(repository, file), join(folder, file))));
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  git("init", "--quiet");
  await writeFile(join(folder, ".git", "info", "exclude"), "node_modules\ndist\n");
  git("config", "user.name", "Tests");
  git("config", "user.email", "tests@keyhub.local");
  git("add", "--all");
  git("commit", "--quiet", "--message", "all");
}

const release = (...args: string[]) =>
  runTool("node", [join(folder, "packages/local/src/cli/release.ts"), ...args], {
    cwd: folder,
    env: { ...process.env, ...compileCache },
  });
const read = (file: string) => readFile(join(folder, file), "utf8");

// In the long form alone, because it builds each package twice and starts npm for it.
test.runIf(LONG_TESTS)(
  "a release sets versions, the changelog and the list of migrations, and tags; once",
  async () => {
    await copyTree();
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "CHANGELOG.md"), "# Changes\n\n## [Unreleased]\n\n- Something new.\n");
    expect((await release("9.8.7")).stderr).toBe("Keyhub: commit or stash your changes first\n");
    git("commit", "--quiet", "--all", "--message", "a change");

    const checked = await release("9.8.7", "--dry-run");
    expect(checked.stdout).toContain("9.8.7 can be released");
    expect(git("status", "--porcelain")).toBe("");

    expect((await release("9.8.7")).stdout).toContain("tagged v9.8.7; next: git push --follow-tags");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag", "--list").trim()).toBe("v9.8.7");
    expect(await read("CHANGELOG.md")).toMatch(
      /^# Changes\n\n## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d\d-\d\d\n\n- Something new\.\n$/,
    );
    const cli = JSON.parse(await read("packages/cli/package.json"));
    expect([cli.version, cli.devDependencies["@keyhub/hub"]]).toEqual(["9.8.7", "9.8.7"]);
    const lock = JSON.parse(await read("package-lock.json"));
    expect([lock.version, lock.packages["packages/hub"].version]).toEqual(["9.8.7", "9.8.7"]);
    expect(lock.packages["node_modules/zod"].version).not.toBe("9.8.7");
    const migrations = Object.keys(JSON.parse(await read("supabase/released-migrations.json")));
    expect(migrations).toContain("20261127000000_initial.sql");

    expect((await release("9.8.7")).stderr).toBe("Keyhub: the tag v9.8.7 exists already\n");
    expect((await release("9.8.8")).stderr).toBe("Keyhub: CHANGELOG.md has no unreleased entry\n");
    expect((await release("next")).stderr).toMatch(/^Keyhub: usage: npm run release/);
  },
);

describe("the changelog", () => {
  test("needs a place for unreleased entries", () => {
    expect(() => releasedChangelog("# Changes\n", "1.0.0", new Date())).toThrow("no line");
  });
});
