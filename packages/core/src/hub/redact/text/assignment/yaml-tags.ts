import { isPlainName } from "../../evidence/credential-value.ts";
import { looksRandom } from "../../evidence/entropy.ts";

/** Anchors and tags of YAML before a value: `&main`, `!!str`, `!<tag:yaml.org,2002:str>`. */
const TAGS =
  /(?:(?:&[A-Za-z_][\w-]{0,40}|!!?[A-Za-z][\w:.,/-]{0,60}|!<[^<>\s]{1,80}>)[ \t]{1,4}){1,2}(?=[\w"'|>/+$])/y;
/** Tags whose value says where a secret is kept. */
const REFERS = /!(?:secret|vault|ref|sub|env|getatt|include|import|reference|sops|awsssm|file)/i;

/** Where the value begins after the anchors and tags at `at`. After a tag that refers to another place, only a value that looks random. */
export function afterTags(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c !== 38 && c !== 33) return at;
  TAGS.lastIndex = at;
  const tags = TAGS.exec(text)?.[0];
  if (tags === undefined) return at;
  const end = TAGS.lastIndex;
  if (!REFERS.test(tags)) return end;
  const word = /^["']?([^\s"']{12,400})["']?[ \t]*(?=\r?(?:\n|$))/.exec(text.slice(end, end + 410))?.[1];
  return word !== undefined && looksRandom(word) && !isPlainName(word) ? end : at;
}
