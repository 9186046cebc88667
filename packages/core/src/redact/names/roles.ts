import { hasUuidJoints } from "../evidence/entropy.ts";
import type { KeyInfo, NameKind } from "../types.ts";
import { classifyName } from "./classify.ts";
import { PROVIDERS, words } from "./lexicon.ts";

const VALUES = words(
  "v default defaultvalue default_value stringvalue string_value currentvalue current_value content data text initialvalue secretvalue rawvalue values",
);
/** Words before `name` and `value` in the fields of a row: `fieldName` and `fieldValue`, `header_name`, `ParameterKey`. */
const OF =
  "(?:(?:env|environment|field|header|param|parameter|query|variable|var|attribute|attr|option|setting|config|property|prop|item|secret|input|cookie|arg|argument|custom|form|entry)[ _-]?)?";
const VALUE = new RegExp(`^${OF}(?:value|val)$`, "i");
const NAME = new RegExp(
  `^(?:${OF}(?:name|key|label|title|id|slug)|k|header|field|parameter|param|variable|var|property|env|arg|option|attribute|setting|question)$`,
  "i",
);
const SAMPLES = words("example sample answer");
const ABOUT = words(
  "type name label title description displayname display_name in scheme format provider source placeholder hint help info tooltip required optional options kind method key field header id ref env from shape location locationname",
);

const CACHED = 4096;

/** Makes a function that classifies keys and caches the results. It calls `onRead` for each key that is not in the cache. */
export function keyReader(onRead: (key: string) => void = () => {}): (key: string) => KeyInfo {
  const known = new Map<string, KeyInfo>();
  return (key) => {
    let info = known.get(key);
    if (info === undefined) {
      onRead(key);
      info = readKey(key);
      if (known.size >= CACHED) known.clear();
      known.set(key, info);
    }
    return info;
  };
}

function readKey(key: string): KeyInfo {
  const kind = key.length > 80 ? "none" : classifyName(key);
  const lower = key.length > 24 ? "" : key.toLowerCase();
  return {
    kind,
    role: roleOf(lower),
    labels: NAME.test(lower) ? "name" : TYPES.has(key) ? "type" : FLAGS.has(key) ? "flag" : null,
    credentials: (kind === "token" || kind === "strong") && /(?:credentials?|creds)$/i.test(key),
    plural: /(?:s|[^\p{ASCII}])$/iu.test(key) && !/pass$/i.test(key),
    provider: PROVIDERS.has(lower.replace(/[_-]/g, "")),
    jwk: /^(?:d|p|q|dp|dq|qi|k|key)$/.test(key),
  };
}

function roleOf(lower: string): KeyInfo["role"] {
  if (VALUES.has(lower) || VALUE.test(lower)) return "value";
  if (SAMPLES.has(lower)) return "sample";
  return lower === "id" ? "id" : ABOUT.has(lower) ? "about" : null;
}

const SECRET_TYPES =
  /^(?:secret|password|secretstr|secretstrinput|securestring|secretinput|credential|apikey|api_key|secure|secret-input|secret_input|masked|sensitive)$/i;
const FLAGS = words(
  "isSecret is_secret secret sensitive isSensitive is_sensitive masked password encrypted isPassword secure hidden_value",
);
const TYPES = words(
  "type value_type valueType _input_type inputType input_type kind format dataType fieldType",
);

/** Returns the kind of a value by the other fields of its table row or field description: `{name: "X-API-Key", value: …}`. */
export function rowKind(row: Record<string, unknown>, readKey: (key: string) => KeyInfo): NameKind {
  let found: NameKind = "none";
  for (const field of Object.keys(row)) {
    const { labels } = readKey(field);
    if (labels === null) continue;
    const text = row[field];
    if (labels === "flag" ? text === true : typeof text === "string" && text.length < 80) {
      if (labels === "flag") return "strong";
      if (labels === "type") {
        if (SECRET_TYPES.test(text as string)) return "strong";
      } else if ((text as string).length > 1 && found !== "strong" && !hasUuidJoints(text as string, 0)) {
        const { kind } = readKey((text as string).replace(/^[-=]+/, ""));
        if (kind !== "none" && (found === "none" || kind !== "weak")) found = kind;
      }
    }
  }
  return found;
}

const OF_FIELD = words(
  "type value default label display_name displayName required description title $ref _input_type in name",
);

/** Returns whether an object describes a field (`{type, value, required …}`) instead of being a dictionary of values. */
export function isDescriptor(object: Record<string, unknown>): boolean {
  return Object.keys(object).some((field) => OF_FIELD.has(field));
}
