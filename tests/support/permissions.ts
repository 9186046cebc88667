import type postgres from "postgres";
import { readPage } from "./docs/pages.ts";
import { tablesOf } from "./tables.ts";

export const actorNames = [
  "anon",
  "anonymous session",
  "stranger",
  "owner",
  "banned",
  "admin",
  "service",
] as const;
export type ActorName = (typeof actorNames)[number];
export type Verb = "select" | "insert" | "update" | "delete";

/** The line of docs/reference/permissions.md for one table and one verb. */
export interface Permission {
  table: string;
  verb: Verb;
  /** The names of the columns, or "all". */
  columns: string[] | "all";
  rows: Record<ActorName, string>;
}

export interface FunctionPermission {
  name: string;
  anon: boolean;
  authenticated: boolean;
  service_role: boolean;
}

const tables = await tablesOf("reference/permissions.md");

export const permissions: Permission[] = (tables.get("Tables") ?? []).flatMap((line) =>
  (line.table ?? "").split(", ").map((table) => ({
    table,
    verb: line.verb as Verb,
    columns: line.columns === "all" ? "all" : (line.columns ?? "").split(", "),
    rows: Object.fromEntries(actorNames.map((name) => [name, line[name] ?? ""])) as Record<ActorName, string>,
  })),
);

/** Matches the lists of functions, each after the roles that may call them: `anon, signed in:`. */
const LISTS = /^((?:anon|signed in|service)(?:, (?:signed in|service))*):\n\n```text\n([\s\S]+?)^```$/gm;

export const functionPermissions: FunctionPermission[] = [
  ...readPage("docs/reference/permissions.md").matchAll(LISTS),
].flatMap(([, roles = "", names = ""]) =>
  names
    .trim()
    .split("\n")
    .map((name) => ({
      name,
      anon: roles.includes("anon"),
      authenticated: roles.includes("signed in"),
      service_role: roles.includes("service"),
    })),
);

/** Returns the database role of an actor. */
export function roleOf(actor: ActorName): "anon" | "authenticated" | "service_role" {
  if (actor === "anon") return "anon";
  return actor === "service" ? "service_role" : "authenticated";
}

/**
 * Returns whether a role has a grant for the verb: whether the cell of one of the role's actors has no dash. A dash means that the platform
 * refuses.
 */
export function granted({ rows }: Permission, role: "anon" | "authenticated" | "service_role"): boolean {
  return actorNames.some((actor) => roleOf(actor) === role && rows[actor] !== "–");
}

/** Returns whether a line of the page gives a role this column. An actor's cell can give all columns: `every (all columns)`. */
export function namesColumn(
  { columns, rows }: Permission,
  role: "anon" | "authenticated" | "service_role",
  column: string,
): boolean {
  if (columns === "all" || columns.includes(column)) return true;
  return actorNames.some((actor) => roleOf(actor) === role && rows[actor].endsWith("(all columns)"));
}

/** Returns the rights that the page gives a role on the hub, as texts like those of `rightsOf`. */
export function hubRights(role: "anon" | "authenticated" | "service_role"): string[] {
  return [
    ...permissions
      .filter((permission) => granted(permission, role))
      .map(({ table, verb }) => `${verb} on ${table}`),
    ...functionPermissions.filter((permission) => permission[role]).map(({ name }) => `execute on ${name}`),
  ];
}

/** Returns the line of the page for a table and a verb, if there is one. */
export const lineOf = (table: string, verb: Verb): Permission | undefined =>
  permissions.find((permission) => permission.table === table && permission.verb === verb);

/** Returns all tables except those of the key service, and the views whose names begin with `hub`. Each has its columns. */
export function hubTables(sql: postgres.Sql): Promise<{ name: string; columns: string[] }[]> {
  return sql`
  select c.oid::regclass::text as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and (c.relkind = 'r' or (c.relkind = 'v' and c.relname like 'hub%'))
    and c.relname not like '%api_key%'
  group by c.oid order by 1`;
}
