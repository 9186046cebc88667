/** The largest body, in bytes, that is kept so that it can be sent again, and that is searched for a model's name. */
export const KEPT_BYTES = 1024 * 1024;

/** The longest name that the service accepts, in UTF-16 code units. */
const MODEL_LENGTH = 128;

/**
 * Returns the name of a model as the service stores it: in lower case, without the prefix `models/` of Google.
 * Returns null for a name that the service would refuse (keys/requests.ts; a test compares the two).
 */
export function modelName(name: string): string | null {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^models\/\s*/, "");
  return plain.length <= MODEL_LENGTH && /^[^\p{Cc}\p{Cs}]+$/u.test(plain) ? plain : null;
}

/** The places of the model in the paths of Google, Azure and Bedrock. */
const IN_PATH = /\/models\/([^/:]+):|\/deployments\/([^/]+)\/|\/model\/([^/]+)\//;

/** Returns the model that a request is for: from its path, or from the member `model` of its JSON. Null if neither names one. */
export function modelOf({ pathname }: URL, body: unknown): string | null {
  const named = IN_PATH.exec(pathname)?.slice(1).find(Boolean);
  const model = named === undefined ? modelIn(textOf(body)) : decoded(named);
  return model === null ? null : modelName(model);
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Returns a body as text if it is a text or bytes within the limit, else "". */
function textOf(body: unknown): string {
  if (typeof body === "string") return body.length <= KEPT_BYTES ? body : "";
  if (!(body instanceof ArrayBuffer || ArrayBuffer.isView(body))) return "";
  return body.byteLength <= KEPT_BYTES ? new TextDecoder().decode(body) : "";
}

function modelIn(text: string): string | null {
  if (!text.includes('"model"')) return null;
  try {
    const { model } = Object(JSON.parse(text)) as { model?: unknown };
    return typeof model === "string" ? model : null;
  } catch {
    return null;
  }
}
