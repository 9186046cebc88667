import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { formatOf, readForeign, requirementsOf, writableFormats, writeForeign } from "@keyhub/core/formats";
import {
  type Archive,
  type Copyable,
  type LICENSES,
  redactPublication,
  type StoredAsset,
} from "@keyhub/core/hub";
import { HubError, type SearchPage } from "@keyhub/hub/source";
import { createTwoFilesPatch } from "diff";
import { CommandFailure } from "../failure.ts";
import { linesOf } from "../input/key-lines.ts";
import { readStandardInput } from "../input/read-input.ts";
import { linesOfText, printJson, printTable, say, textOf } from "../output.ts";
import type { HubSession } from "./session.ts";

/** Runs `keyhub hub search`. */
export async function search(
  { hub }: HubSession,
  words: string,
  { type, tag, license, sort, limit = 20, json = false }: SearchOptions,
): Promise<void> {
  const page: SearchPage = await hub.search({
    ...(words !== "" && { q: words }),
    ...(type !== undefined && { types: [type as never] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(license !== undefined && { license: license as never }),
    ...(sort !== undefined && { sort: sort as never }),
    page_size: limit,
  });
  if (json) return printJson(page);
  if (page.items.length === 0) return say("nothing found");
  printTable(
    page.items.map(({ slug, asset_type, title, creator, license: of, star_count, install_count }) => ({
      ...{
        slug,
        type: asset_type,
        title,
        creator: creator?.username ?? null,
        license: of,
      },
      ...{ stars: star_count, installs: install_count },
    })),
  );
  if (page.next_cursor !== null) say(`these are the first ${page.items.length}; --limit shows up to 100`);
}

export interface SearchOptions {
  type?: string;
  tag?: string;
  license?: string;
  sort?: string;
  limit?: number;
  json?: boolean;
}

/** Runs `keyhub hub show`: prints the data that the page of a listing shows. */
export async function show(session: HubSession, slug: string, { json = false }): Promise<void> {
  const asset = await readAsset(session, slug, null);
  if (json) return printJson(asset);
  const needs = requirementsOf(asset.payload).map(({ kind, name }) => `${name} (${kind})`);
  printTable(
    Object.entries({
      title: asset.title,
      type: asset.asset_type,
      creator: asset.creator?.username ?? "deleted account",
      license: asset.version_license,
      version: asset.version,
      tags: asset.tags,
      description: asset.description,
      made_with: formatOf(asset.payload.source_format)?.name ?? null,
      forms: ["keyhub", ...writableFormats(asset).map(({ id }) => id)],
      needs,
      items: asset.items.map(({ title }) => title),
    })
      .filter(([, value]) => value !== null && (!Array.isArray(value) || value.length > 0))
      .map(([name, value]) => ({ "": name, value: typeof value === "number" ? String(value) : value })),
  );
}

/** Runs `keyhub hub get`: writes the asset to a file. Without `as`, the format is that of the asset's own tool, or else Keyhub's. */
export async function get(
  session: HubSession,
  slug: string,
  { as, output, version, json = false }: { as?: string; output?: string; version?: number; json?: boolean },
): Promise<void> {
  const asset = await readAsset(session, slug, version ?? null);
  const [own] = asset.payload.source_text === undefined ? [] : writableFormats(asset);
  const file = await fileOf(session, asset, as ?? own?.id ?? "keyhub");
  if (output === "-") {
    // A pipe gets the file unchanged. A terminal would obey control characters in the file, so they are escaped.
    return void process.stdout.write(process.stdout.isTTY ? linesOfText(file.text) : file.text);
  }
  const path = output ?? file.filename;
  // Does not overwrite an existing file.
  await writeFile(path, file.text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      error.code === "EEXIST"
        ? `${textOf(path)} is there already; --output names another file`
        : `the file cannot be written: ${error.code ?? "unknown fault"}`,
    );
  });
  if (json) return printJson({ file: path, bytes: Buffer.byteLength(file.text) });
  say(`wrote ${textOf(path)}`);
}

async function fileOf(
  session: HubSession,
  asset: Copyable,
  as: string,
): Promise<{ filename: string; text: string }> {
  if (as !== "keyhub") {
    const file = writeForeign(as, asset);
    if (file !== null) return file;
    const forms = ["keyhub", ...writableFormats(asset).map(({ id }) => id)].join(", ");
    throw new CommandFailure(`it cannot be written in that form; it can in: ${forms}`);
  }
  // The call is made as a guest, because for a member the hub would make a copy in the workspace instead of returning the file.
  const { createHub } = await import("@keyhub/hub/source");
  const guest = createHub({ url: session.url, key: session.key });
  const answer = await guest.importAsset(asset.slug, { version: asset.version });
  if (answer.stored !== "local") throw new CommandFailure("the hub returned no file");
  return { filename: `${asset.slug}.json`, text: `${JSON.stringify(answer.document, null, 2)}\n` };
}

/** Runs `keyhub hub import`: copies a listing, or a file of any known tool, into the caller's workspace. */
export async function importInto(
  session: HubSession,
  what: string,
  { remix = false, version, dryRun = false, json = false }: ImportFlags,
): Promise<void> {
  requireMember(session);
  const options = { mode: remix ? ("remix" as const) : ("use" as const), ...(dryRun && { dry_run: true }) };
  const text = await readTextFile(what);
  const answer =
    text === null
      ? await session.hub.importAsset(what, { ...options, ...(version !== undefined && { version }) })
      : await session.hub.importDocument(text, { ...options, filename: basename(what) });
  if (json) return printJson(answer);
  if (answer.stored !== "cloud") throw new CommandFailure("the hub stored nothing: log in again");
  printTable(answer.created.map(({ asset_type, title, id }) => ({ type: asset_type, title, id })));
  for (const message of new Set(answer.warnings.map((warning) => warning.message))) say(message);
  if (dryRun) say("nothing was written");
}

export interface ImportFlags {
  remix?: boolean;
  version?: number;
  dryRun?: boolean;
  json?: boolean;
}

/** Runs `keyhub hub publish`: imports a file and publishes its content. A dry run shows what would be public and what would be removed. */
export async function publish(session: HubSession, path: string, options: PublishFlags): Promise<void> {
  const { license = "platform-free", dryRun = false, json = false } = options;
  const text = await readTextFile(path);
  if (text === null) throw new CommandFailure("there is no such file");
  const document = await readOne(text, basename(path));
  const title = options.title ?? document.title;
  const description = options.description ?? document.description ?? "";
  const tags = options.tags?.split(",").map((tag) => tag.trim()) ?? document.tags;
  const { price, teaser } = options;
  if ((license === "paid") !== (price !== undefined) || (license === "paid") !== (teaser !== undefined))
    throw new CommandFailure("--license paid, --price and --teaser go together");
  const offer = price === undefined ? {} : { price_cents: price, teaser };
  if (description === "")
    throw new CommandFailure("the file has no description: --description says what it does");
  if (dryRun) {
    const { redactions, residualSecrets, exceeded } = await redactPublication({
      ...{ title, description, tags, thumbnail_url: null, payload: document.payload },
      ...(teaser !== undefined && { teaser }),
      items: document.items,
    });
    const refused = [...(exceeded === null ? [] : [exceeded.path]), ...residualSecrets];
    if (json)
      return printJson({
        asset_type: document.asset_type,
        title,
        description,
        tags,
        license,
        ...offer,
        redactions,
        refused,
      });
    printTable([{ type: document.asset_type, title, tags, license, ...offer }]);
    for (const { path: at, rule } of redactions) say(`taken out: ${textOf(at)} (${rule})`);
    if (refused.length > 0) throw new CommandFailure(`it would be refused: ${textOf(refused.join(", "))}`);
    return say("nothing was written");
  }
  requireMember(session);
  const imported = await session.hub.importDocument(text, { filename: basename(path) });
  const [row] = imported.stored === "cloud" ? imported.created : [];
  if (row?.id == null) throw new CommandFailure("the hub stored nothing: log in again");
  const published = await session.hub.publish(
    {
      ...{ asset_type: row.asset_type, ref_id: row.id, title, description, tags },
      license: license as (typeof LICENSES)[number],
      ...offer,
    },
    {
      confirm: (findings) => {
        for (const { rule, line } of findings) say(`found: ${rule}${line ? `, line ${line}` : ""}`);
        return options.acceptFindings ?? false;
      },
    },
  );
  if (json) return printJson(published);
  for (const { path: at, rule } of published.redactions) say(`taken out: ${textOf(at)} (${rule})`);
  process.stdout.write(`${session.origin ?? ""}${published.permalink}\n`);
}

export interface PublishFlags {
  title?: string;
  description?: string;
  tags?: string;
  license?: string;
  /** In cents. */
  price?: number;
  teaser?: string;
  acceptFindings?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** Runs `keyhub hub diff`: shows the changes between two versions. The second one is the current version by default. */
export async function diff(
  session: HubSession,
  slug: string,
  { from, to, json = false }: { from: number; to?: number; json?: boolean },
): Promise<void> {
  const [before, after] = await Promise.all([
    readAsset(session, slug, from),
    readAsset(session, slug, to ?? null),
  ]);
  const patch = createTwoFilesPatch(
    `version ${before.version}`,
    `version ${after.version}`,
    readable(before),
    readable(after),
  );
  if (json) return printJson({ from: before.version, to: after.version, patch });
  process.stdout.write(linesOfText(patch));
}

/** Returns the content of an asset as lines of text, so that a person can read the differences. */
function readable({ asset_type: type, payload, items }: Copyable): string {
  const { source_text: source, ...own } = payload;
  const main =
    source ?? (type === "template" ? payload.content : type === "component" ? payload.source : null);
  const text = typeof main === "string" ? main : JSON.stringify(own, null, 2);
  return [text, ...items.map((item) => `${item.title}\n${JSON.stringify(item.payload, null, 2)}`)].join(
    "\n\n",
  );
}

/** Runs `keyhub hub login`. Reads the password from standard input and stores only the session. */
export async function login({ client, url }: HubSession, email: string): Promise<void> {
  const [line] = [...linesOf(await readStandardInput("the password"))];
  if (line === undefined) throw new CommandFailure("give the password on standard input");
  const { error } = await client.auth.signInWithPassword({ email, password: line.text });
  if (error) throw new CommandFailure(`not logged in: ${error.message}`);
  say(`logged in to ${new URL(url).host}`);
}

/** Runs `keyhub hub logout`. */
export async function logout({ client }: HubSession): Promise<void> {
  await client.auth.signOut({ scope: "local" });
  say("logged out");
}

/** Turns a refusal of the hub into a failure with a message of one line. */
export async function saying<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { title, detail, errors } = error.problem;
    const faults = errors.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
    throw new CommandFailure(
      textOf([title, detail === title ? "" : (detail ?? ""), ...faults].filter(Boolean).join(": ")),
    );
  }
}

async function readAsset({ hub }: HubSession, slug: string, version: number | null): Promise<Copyable> {
  const asset = (await hub.asset(slug, version === null ? {} : { version })) as unknown as StoredAsset & {
    deleted: boolean;
  };
  if (asset.deleted || asset.payload === null || asset.version === null)
    throw new CommandFailure("there is no such listing, or no such version of it");
  return asset as unknown as Copyable;
}

async function readOne(text: string, filename: string): Promise<Archive> {
  const read = await readForeign(text, filename);
  if (!read.ok)
    throw new CommandFailure(read.faults.map(({ path, message }) => textOf(`${path} ${message}`)).join("; "));
  const [document, second] = read.value.documents;
  if (document === undefined || second !== undefined)
    throw new CommandFailure(
      `the file holds ${read.value.documents.length} assets: import it, and publish each from the workspace`,
    );
  return document;
}

/** Reads a text file. Returns null if no file has this name, because then the argument may be the slug of a listing. */
async function readTextFile(path: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new CommandFailure(`the file cannot be read: ${code ?? "unknown fault"}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandFailure("the file is not UTF-8 text");
  }
}

function requireMember({ isMember }: HubSession): void {
  if (!isMember) throw new CommandFailure("log in first: keyhub hub login <e-mail>");
}
