import type { Fault } from "../../problem.ts";
import type { Work } from "./work.ts";

/**
 * What the name of a key says of its value.
 * - `strong`: a credential whatever it looks like (unless it is a placeholder);
 * - `token`: like strong, but a number or a plain word under it is no credential (`token: 500`, `token: "Hello"`);
 * - `weak`: a credential when it looks like one;
 * - `pin`: like weak, and a number of four to eight digits is one;
 * - `reference`: an id of a credential kept elsewhere;
 * - `organization`: an organisation's code;
 * - `none`: nothing.
 */
export type NameKind = "none" | "weak" | "pin" | "token" | "strong" | "reference" | "organization";

/** What a key is to the object it stands in, by its name alone. */
export interface KeyInfo {
  kind: NameKind;
  /** The rule-relevant part it plays in tables and field descriptions. */
  role: "value" | "sample" | "id" | "about" | null;
  /** What it says of the value beside it in a row of a table: its name, its type, or that it is a secret. */
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

/** What an object or array is under: the kind its key gave, whether that key was `credentials`, and whether it was a plural. */
export type ParentContext = { kind: NameKind; credentials: boolean; plural: boolean } | null;

/** The columns of a table whose rows are lists: what the head says of each. */
export interface Column {
  name: string;
  kind: NameKind;
}

export type Report = (rule: string) => void;

export type KindOf = (name: string) => NameKind;

/** A stretch of text to take out. */
export interface Span {
  start: number;
  end: number;
  rule: string;
}

/** How many characters of values may be read in one text: a value within a value within … is not read for ever. */
export interface Budget {
  characters: number;
  /** Which stretches of the text are tables of translations, as far as this was asked. */
  tables?: Map<number, boolean>;
}

/** What a pass over a text has met and taken. */
export interface Seen {
  /** Whether a character beyond ASCII was met: what more has to be asked only then. */
  foreign: boolean;
  /** What the pass counts on; once that is exceeded, it ends. */
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
  /** Ends in `token` or `key`, behind another word in camel case: what it names may be a thing of code. */
  named: boolean;
  /** Like `DB_PASSWORD`: the name of an environment variable. */
  variable: boolean;
  /** Like `<password>`: the name of an XML element. */
  element: boolean;
  /** A word for password is in it. */
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

/** One thing that was taken out. `path` is the dotted way to the string, number or key; a value is never in it. */
export interface Redaction {
  path: string;
  rule: string;
}

export interface Redacted {
  value: unknown;
  redactions: Redaction[];
  /** The limit that the value goes beyond: then it was not read to its end, and is to be refused. */
  exceeded?: Fault;
}
