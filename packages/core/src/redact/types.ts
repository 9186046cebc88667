/**
 * The kind of a value, by its name.
 * - `strong`: any value is a credential (unless it is a placeholder);
 * - `token`: like strong, but a number or a plain word is not a credential (`token: 500`, `token: "Hello"`);
 * - `weak`: a credential when it looks like one;
 * - `pin`: like weak, and a number of four to eight digits is one;
 * - `reference`: an id of a credential kept elsewhere;
 * - `organization`: an organisation's code;
 * - `none`: not the name of a credential.
 */
export type NameKind = "none" | "weak" | "pin" | "token" | "strong" | "reference" | "organization";

/** What the name of a key tells about its value. */
export interface KeyInfo {
  kind: NameKind;
  /** The role of the key in tables and field descriptions. */
  role: "value" | "sample" | "id" | "about" | null;
  /** In a row of a table: the key gives the name or the type of the value beside it, or marks that value as a secret. */
  labels: "name" | "type" | "flag" | null;
  /** A key such as `credentials`: the objects under it are references to credentials. */
  credentials: boolean;
  /** A key such as `secrets` or `apiKeys`: a dictionary or list of secrets. */
  plural: boolean;
  /** The name of a provider, such as a provider of models. */
  provider: boolean;
  /** A private member of a JSON Web Key. */
  jwk: boolean;
}

/** The context of an object or array: the kind of its key, whether the key was like `credentials`, and whether it was a plural. */
export type ParentContext = { kind: NameKind; credentials: boolean; plural: boolean } | null;

export type OnRedaction = (rule: string) => void;

export type KindOf = (name: string) => NameKind;

/** A stretch of text to remove. */
export interface Span {
  start: number;
  end: number;
  rule: string;
}

/** One thing that was removed. `path` is the dotted path of the string, number or key. It never contains a value. */
export interface Redaction {
  path: string;
  rule: string;
}

/** A limit that a value exceeds, in the form of a fault of a request. */
export interface Excess {
  path: string;
  code: string;
  message: string;
}

export interface Redacted {
  value: unknown;
  redactions: Redaction[];
  /** The limit that the value exceeds. If it is set, the value was not read completely and must be refused. */
  exceeded?: Excess;
}
