import { canonicalJson, contentHash, snapshot } from "@keyhub/core/hub";
import type { Archive, AssetType, Hub, Item, OwnRecord, Warning } from "@keyhub/hub/source";
import { ASSET_TYPES, assetPath, sharedPath } from "../../data/addresses.ts";
import { PageError } from "../failure-text.ts";
import { columns } from "./columns.ts";
import { changeLite, dropLite, keepLite, type LiteItem, liteItem, liteItems } from "./lite.ts";

/** The work that an item was made from, with the title that it had at that time. */
export interface CopyOrigin {
  title: string;
  /** Null when only a file claims this origin. */
  slug: string | null;
  /** The ids of organizations, by the slugs of those works of the attribution that are on an organization's shelf. */
  shelves: Readonly<Record<string, string>>;
  /** The id of this copy in `hub_assets`, and the version to which the user has pinned the copy. */
  copyId: string | null;
  pinned: number | null;
}

/** An item of the workspace, in the account or in this browser. */
export interface WorkspaceItem {
  id: string;
  type: AssetType;
  name: string;
  payload: Record<string, unknown>;
  /** The document of an item in this browser; null for an item in the account, which has a row. */
  document: Archive | null;
  row: Record<string, unknown> | null;
  /** The work that the item was made from; null for an original work. */
  origin: CopyOrigin | null;
  /** The description and tags for the next publication, from the item's listing or from the listing that the item was copied from. */
  about: { description: string; tags: string[] } | null;
  /** A text that differs after every change, so that a save can detect changes that were made elsewhere. */
  version: string;
}

/** The result of a save: the stored item, or the reason why it was not stored. */
export type Saved = WorkspaceItem | "gone" | "changed elsewhere";

/** The store of a workspace: the account of a member, or a guest's browser. */
export interface WorkspaceStore {
  list(): Promise<WorkspaceItem[]>;
  get(type: AssetType, id: string): Promise<WorkspaceItem | null>;
  create(type: AssetType, name: string, payload: Record<string, unknown>): Promise<string>;
  /** Saves an item only if the stored item still has the given version. Without `version` it overwrites any version. */
  save(item: Omit<WorkspaceItem, "version"> & { version?: string }): Promise<Saved>;
  remove(item: WorkspaceItem): Promise<void>;
  /** Imports the text of a file of Keyhub or of any known tool. */
  importFile(text: string, filename: string): Promise<Imported>;
}

/** The result of importing a file: the new items, and warnings to show as sentences. */
export interface Imported {
  items: { type: AssetType; id: string; name: string }[];
  warnings: string[];
}

export function accountStore(hub: Hub, userId: string): WorkspaceStore {
  const shown = (type: AssetType, row: Item<AssetType>, record?: OwnRecord): WorkspaceItem => ({
    id: row.id,
    type,
    name: row.name,
    payload: snapshot(type, row as Record<string, unknown>),
    document: null,
    row: row as Record<string, unknown>,
    origin: originOf(record?.attribution ?? null, record),
    about: record?.description ? { description: record.description, tags: record.tags } : null,
    version: row.updated_at,
  });
  return {
    list: async () => {
      const [records, ...lists] = await Promise.all([
        hub.ownRecords(userId),
        ...ASSET_TYPES.map((type) => hub.workspace(type).list()),
      ]);
      const byRow = new Map(records.map((record) => [record.ref_id, record]));
      return ASSET_TYPES.flatMap((type, place) =>
        (lists[place] ?? []).map((row) => shown(type, row, byRow.get(row.id))),
      );
    },
    get: async (type, id) => {
      const [row, [record]] = await Promise.all([hub.workspace(type).get(id), hub.ownRecords(userId, id)]);
      return row && shown(type, row, record);
    },
    create: async (type, name, payload) =>
      (await hub.workspace(type).create({ name, ...columns(type, payload) } as never)).id,
    save: async ({ type, id, name, payload, version }) => {
      const items = hub.workspace(type);
      const change = { ...columns(type, payload), name } as never;
      const row = await items.update(id, change, version === undefined ? {} : { since: version });
      if (row) return shown(type, row, (await hub.ownRecords(userId, id))[0]);
      return (await items.get(id)) ? "changed elsewhere" : "gone";
    },
    remove: async ({ type, id }) => void (await hub.workspace(type).delete(id)),
    importFile: async (text, filename) => {
      refuseAnswer(text);
      const answer = await hub.importDocument(text, { filename });
      if (answer.stored !== "cloud")
        throw new PageError("You are signed out. Load the page again and sign in.");
      return {
        items: answer.created.flatMap(({ asset_type: type, id, title: name }) =>
          id === null ? [] : [{ type, id, name }],
        ),
        warnings: sentences(answer.warnings),
      };
    },
  };
}

function originOf(attribution: NamedAttribution | null, record?: OwnRecord): CopyOrigin | null {
  const { root, parent = root, via = [], claimed } = attribution ?? {};
  const original = root ?? parent;
  const shelves = Object.fromEntries(
    [root, parent, ...via].flatMap((one) => (one?.organization_id ? [[one.slug, one.organization_id]] : [])),
  );
  const copy = { copyId: record?.id ?? null, pinned: record?.pinned_version ?? null, shelves };
  if (original) return { title: original.title, slug: original.slug, ...copy };
  const said = claimed?.root ?? claimed;
  return said ? { title: said.title, slug: null, ...copy } : null;
}

/** Returns the address of a work that an item comes from. If the type is wrong, a public work's page redirects to the right address. */
export function pathOfOrigin(
  origin: CopyOrigin | null,
  asset: { asset_type: AssetType; slug: string },
): string {
  const organization = origin?.shelves[asset.slug];
  return organization === undefined ? assetPath(asset) : sharedPath(organization, asset);
}

interface NamedOrigin {
  title: string;
  slug: string;
  organization_id?: string | undefined;
}

/** The members that both forms of an attribution have: the one in the registry and the one in a file. */
interface NamedAttribution {
  root?: NamedOrigin | undefined;
  parent?: NamedOrigin | undefined;
  via?: readonly NamedOrigin[] | undefined;
  claimed?: { title: string; root?: { title: string } | undefined } | undefined;
}

/** The largest number of models or requirements that a warning lists. */
const NAMED = 6;

/** Returns warnings as sentences that list their models or requirements. A sentence occurs once, even if many items of a kit have it. */
function sentences(warnings: readonly Warning[]): string[] {
  const said = warnings.map((warning) => {
    const names =
      "models" in warning
        ? warning.models
        : "requirements" in warning
          ? warning.requirements.map(({ name }) => name)
          : [];
    if (names.length === 0) return warning.message;
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    return `${warning.message.replace(/\.$/, "")}: ${names.slice(0, NAMED).join(", ")}${more}.`;
  });
  return [...new Set(said)];
}

/** Throws if the text is a whole answer of hub-import, which a user of curl may have saved instead of the document inside it. */
function refuseAnswer(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (Object(Object(value).document).format === "keyhub.asset")
    throw new PageError("This is a whole answer of hub-import. Import only its member “document”.");
}

/** Returns the payload after an edit. If the edit changes the content, the source text no longer fits and is left out. */
export function withoutStaleSource(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  if (after.source_text === undefined || !isEdited(before, after)) return after;
  const { source_format: _, source_text: __, ...rest } = after;
  return rest;
}

/** Returns whether two payloads differ in anything but the name and the description. */
export function isEdited(before: Record<string, unknown>, after: Record<string, unknown>): boolean {
  const read = ({ name: _, description: __, ...rest }: Record<string, unknown>) => canonicalJson(rest);
  return read(before) !== read(after);
}

export function browserStore(guest: Hub): WorkspaceStore {
  const shown = ({ id, document, changed }: LiteItem): WorkspaceItem => ({
    id,
    type: document.asset_type,
    name: document.title,
    payload: document.payload,
    document,
    row: null,
    origin: originOf(document.attribution),
    about: null,
    version: String(changed),
  });
  return {
    list: async () => (await liteItems()).map(shown),
    get: async (_type, id) => {
      const item = await liteItem(id);
      return item && shown(item);
    },
    create: async (type, name, payload) =>
      keepLite({
        ...{
          format: "keyhub.asset",
          format_version: 1,
          asset_type: type,
          title: name,
          description: null,
          tags: [],
        },
        ...{
          license: "platform-free",
          payload,
          items: [],
          attribution: null,
          sha256: await contentHash(payload),
        },
      }),
    save: async ({ id, name, payload, document, version }) => {
      if (!document) return "gone";
      // Templates and components also have their name in the payload, so the name is changed there, too.
      const kept = withoutStaleSource(document.payload, payload);
      const named = "name" in kept ? { ...kept, name } : kept;
      const items = await Promise.all(
        document.items.map(async (part) => ({ ...part, sha256: await contentHash(part.payload) })),
      );
      const edited = { ...document, title: name, payload: named, items, sha256: await contentHash(named) };
      let saved: Saved = "gone";
      await changeLite(id, (item) => {
        saved = "changed elsewhere";
        if (version !== undefined && version !== String(item.changed)) return item;
        const changed = Math.max(Date.now(), item.changed + 1);
        const now = { ...item, document: edited, original: item.original ?? item.document, changed };
        saved = shown(now);
        return now;
      });
      return saved;
    },
    remove: ({ id }) => dropLite(id),
    importFile: async (text, filename) => {
      refuseAnswer(text);
      // The hub reads the file, so that a file that it would refuse in an account is refused here, too.
      const answer = await guest.importDocument(text, { filename });
      if (answer.stored !== "local") return { items: [], warnings: [] };
      const items: Imported["items"] = [];
      for (const document of [answer.document, ...(answer.further ?? [])])
        items.push({ type: document.asset_type, id: await keepLite(document), name: document.title });
      return { items, warnings: sentences(answer.warnings) };
    },
  };
}

/**
 * Moves the items of a guest from this browser into the account; returns how many were moved, by this tab or by another one. A failure
 * does not stop the sign-in, because the page of the workspace tries to move the items again.
 */
export async function moveItemsToAccount(hub: Hub): Promise<number> {
  try {
    if ((await liteItems()).length === 0) return 0;
    // The code that moves items is loaded only when there are items to move.
    const moving = await import("./move-to-account.ts");
    return await moving.moveItemsToAccount(hub);
  } catch {
    return 0;
  }
}
