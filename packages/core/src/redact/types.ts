/**
 * The kind of a name: it says which values under the name are credentials.
 * - `strong`: any value is a credential, except a placeholder, a label, a sentence or an address;
 * - `token`: like strong, but a small number or a plain word is not a credential (`token: 500`, `token: "Hello"`);
 * - `weak`: a value is a credential when it looks like one;
 * - `pin`: like weak, and a number of four to eight digits is a credential too;
 * - `reference`: the value is the id of a credential kept elsewhere;
 * - `organization`: the value is an organisation's code;
 * - `none`: not the name of a credential.
 */
export type NameKind = "none" | "weak" | "pin" | "token" | "strong" | "reference" | "organization";

/** What can be concluded from a key about its value. */
export interface KeyInfo {
  kind: NameKind;
  /** What the member holds in a table row or field description: the value, a sample of it, an id, or facts about the field. */
  role: "value" | "sample" | "id" | "about" | null;
  /** In a row of a table: the member with this key states the name or type of the value beside it, or marks that value as a secret. */
  labels: "name" | "type" | "flag" | null;
  /** A key such as `credentials`: the objects under it are references to credentials. */
  credentials: boolean;
  /** A key such as `secrets` or `apiKeys`: a dictionary or list of secrets. */
  plural: boolean;
  /** The key is the name of a provider, such as `openai`. */
  provider: boolean;
  /** The key has the name of a private member of a JSON Web Key, such as `d`. */
  jwk: boolean;
}

/** The context of an object or array: its key's kind, whether objects under the key refer to credentials, whether the key is a plural. */
export type ParentContext = { kind: NameKind; credentials: boolean; plural: boolean } | null;

export type OnRedaction = (rule: string) => void;

export type KindOf = (name: string) => NameKind;

/** A stretch of text to remove. */
export interface Span {
  start: number;
  end: number;
  rule: string;
}

/** One thing that was removed. `path` is the dotted path of the string, number or key. The path never contains a value. */
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
