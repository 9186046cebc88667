import type { Fault } from "../../problem.ts";
import type { Work } from "./work.ts";

/**
 * The kind of a value by its name.
 * - `strong`: any value is a credential (unless it is a placeholder);
 * - `token`: like strong, but a number or a plain word is not a credential (`token: 500`, `token: "Hello"`);
 * - `weak`: a credential when it looks like one;
 * - `pin`: like weak, and a number of four to eight digits is one;
 * - `reference`: an id of a credential kept elsewhere;
 * - `organization`: an organisation's code;
 * - `none`: nothing.
 */
export type NameKind = "none" | "weak" | "pin" | "token" | "strong" | "reference" | "organization";

/** The role of a key in its object, by its name alone. */
export interface KeyInfo {
  kind: NameKind;
  /** Its role in tables and field descriptions. */
  role: "value" | "sample" | "id" | "about" | null;
  /** In a row of a table: it gives the name or the type of the value beside it, or marks that value as a secret. */
  speaks: "name" | "type" | "flag" | null;
  /** `credentials` and the like: the objects under it are references to credentials. */
  credentials: boolean;
  /** `secrets`, `apiKeys`: a dictionary or list of them. */
  plural: boolean;
  /** The name of a provider of models or the like. */
  provider: boolean;
  /** A member of a JSON Web Key that is private. */
  jwk: boolean;
}

/** The context of an object or array: the kind of its key, whether that key was `credentials`, and whether it was a plural. */
export type ParentContext = { kind: NameKind; credentials: boolean; plural: boolean } | null;

/** The columns of a table whose rows are lists: what the head says about each. */
export interface Column {
  name: string;
  kind: NameKind;
}

export type Report = (rule: string) => void;

export type KindOf = (name: string) => NameKind;

/** A stretch of text to remove. */
export interface Span {
  start: number;
  end: number;
  rule: string;
}

/** How many characters of values may be read in one text. It bounds values inside values. */
export interface Budget {
  characters: number;
  /** Which stretches of the text are tables of translations, as far as they were judged. */
  tables?: Map<number, boolean>;
}

/** What a pass over a text has found and used. */
export interface Seen {
  /** Whether a character beyond ASCII was found: some tests are needed only then. */
  foreign: boolean;
  /** The budget of the pass, which ends when it is exceeded. */
  work: Work;
}

/** The name in front of a separator. */
export interface AssignmentName {
  kind: Exclude<NameKind, "none">;
  /** It ends in a quote, as the keys of JSON do. */
  quoted: boolean;
  /** Of a URL's query or fragment: `?key=`, `&sig=`. */
  query: boolean;
  /** Ends in `key`. */
  key: boolean;
  /** Ends in `token` or `key` after another word, in camel case: it may be an ordinary name in code. */
  named: boolean;
  /** Like `DB_PASSWORD`: the name of an environment variable. */
  variable: boolean;
  /** Like `<password>`: the name of an XML element. */
  element: boolean;
  /** It contains a word for password. */
  password: boolean;
  /** Right after a line's beginning, `export`, `;` or the like: not an argument in a call. */
  statement: boolean;
}

/** A value in text: where it is, and whether quotes or tags enclose it. */
export interface AssignedValue {
  start: number;
  end: number;
  enclosed: boolean;
  separator: number;
  compared?: boolean;
  /** On the line below its name. */
  below?: boolean;
}

/** One thing that was removed. `path` is the dotted path of the string, number or key; it never contains a value. */
export interface Redaction {
  path: string;
  rule: string;
}

export interface Redacted {
  value: unknown;
  redactions: Redaction[];
  /** The limit that the value exceeds: then it was not read to its end, and must be refused. */
  exceeded?: Fault;
}
