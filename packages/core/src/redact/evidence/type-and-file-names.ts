import { PROVIDERS } from "../names/lexicon.ts";

/** Names of types: `PrivateKey2048`, `ERC20Token`, `bytes32`, `nvarchar100`. */
const TYPE =
  /^(?:(?:[A-Z][a-z]+|[A-Z]{2,8})\d{0,4})*(?:Key|Token|Secret|Password|Hash|Buffer|Bytes?|Array|String|Str|Int|Uint|Id|Type|Options?|Config|Credentials?|Signer|Provider|Service|Entity|Dto|Model|Schema|Field)\d{0,4}$|^(?:u?int|bytes|string|str|char|n?varchar2?|buffer|utf8string|float|decimal|number|blob|binary|varbinary|bit|text)\d{0,4}$/;

export const isTypeName = (word: string): boolean => word.length < 80 && TYPE.test(word);

/** Returns whether a word is the name of a provider or model, possibly with a version: `OpenAI2`, `ChatGPT4`. */
export function isProductName(word: string): boolean {
  const name = /^([A-Z][A-Za-z]{2,20})[-.]?\d{0,2}(?:\.\d)?[a-z]?$/.exec(word)?.[1]?.toLowerCase();
  return name !== undefined && (PROVIDERS.has(name) || name === "chatgpt" || name === "gpt");
}

const FILE =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|map|html?|md|pdf|mp[34]|webm|woff2?|ttf|json|zip|tsx?|vue|wasm|chunk)\b(?!\.?[A-Za-z0-9_-]{12})/y;

/**
 * Returns whether `hex` consists of hex digits and belongs to a file name or to the last part of a page's address:
 * `key-9f….png`, `/docs/my-api-key-9f…`. `at` and `end` are the borders of the word, and `hex` is its last part or all of it.
 */
export function isFileName(text: string, at: number, end: number, hex: string): boolean {
  if (!/^[0-9a-f]+$/.test(hex)) return false;
  FILE.lastIndex = end;
  return FILE.test(text) || /\/(?:[A-Za-z0-9]+-){2,12}$/.test(text.slice(Math.max(0, at - 120), at));
}
