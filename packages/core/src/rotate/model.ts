/** The largest body that is kept to be sent again, and searched for the name of a model, in bytes. */
export const KEPT_BYTES = 1024 * 1024;

/** As many UTF-16 code units as the service takes. */
const MODEL_LENGTH = 128;

/**
 * The name of a model as the service keeps it: in lower case, without the `models/` that Google puts in front. Null for a name that
 * the service would refuse (keys/report-request.ts; a test compares the two).
 */
export function modelName(name: string): string | null {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^models\/\s*/, "");
  return plain.length <= MODEL_LENGTH && /^[^\p{Cc}\p{Cs}]+$/u.test(plain) ? plain : null;
}

/** Google; Azure; Bedrock. */
const IN_PATH = /\/models\/([^/:]+):|\/deployments\/([^/]+)\/|\/model\/([^/]+)\//;

/** The model that a request is for: in its path, or the member `model` of its JSON. Null where neither names one. */
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

/** A body that is a text or bytes, up to the limit. */
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
