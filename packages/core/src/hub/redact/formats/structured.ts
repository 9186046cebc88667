import { isFakeToken } from "../evidence/placeholder.ts";
import { looksRandom } from "../evidence/entropy.ts";
import type { Span } from "../text/scan.ts";

/** A token known by its structure rather than by a beginning. `at` is where it may begin. */
interface Structure {
  rule: string;
  pattern: RegExp;
}

const structure = (rule: string, pattern: string): Structure => ({ rule, pattern: new RegExp(pattern, "y") });
const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const B = "[A-Za-z0-9_-]";
const EDGE = "(?![A-Za-z0-9_-])";

/** The mark of a service of Azure behind base64, and a checksum: keys of storage, buses, registries. */
const AZURE_KEY = structure(
  "azure",
  "[A-Za-z0-9+/]{34,84}\\+(?:ACR|ASt|ASb|AEh|ARm|ABa)[A-Za-z0-9+/]{4,8}={0,2}(?![A-Za-z0-9+/=])",
);

/** Tried where the first run of a token ends before this character. */
const BY_NEXT: Record<string, Structure[]> = {
  "..": [
    structure("jwt", `eyJ${B}{8,}\\.${B}{6,}\\.${B}*(?:\\.${B}*){0,2}`),
    structure("discord", `[MNO]${B}{20,30}\\.${B}{6}\\.${B}{25,}`),
    structure("zhipu", "[0-9a-f]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9])"),
    structure("terraform", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,}"),
    structure("harness", "[ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{20,}\\.[A-Za-z0-9]{16,}"),
    structure("vault", "s\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}(?![A-Za-z0-9_])"),
    structure("ably", `${B}{5,8}\\.${B}{5,8}:${B}{20,}`),
  ],
  ":": [
    structure("telegram", `\\d{6,12}:A[A-Za-z]${B}{31,}`),
    structure("firebase", `AAAA${B}{7}:${B}{100,}`),
    structure("ghost", "[0-9a-f]{24}:[0-9a-f]{64}(?![0-9a-f])"),
    structure("fal", `${UUID}:[0-9a-f]{32}(?![0-9a-f])`),
  ],
  "/": [structure("asana", "[12]/\\d{14,18}(?:/\\d{14,18})?:[0-9a-f]{32}"), AZURE_KEY],
  "+": [AZURE_KEY],
  "!": [structure("salesforce", "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{40,}")],
  "|": [
    structure("facebook", `\\d{14,17}\\|${B}{26,40}`),
    structure("sanctum", "\\d{1,8}\\|[A-Za-z0-9]{40,}"),
    structure("qdrant", `${B}{40,}\\|${B}{40,}`),
  ],
  "~": [structure("azure-client-secret", "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,}")],
  "%": [structure("twitter-bearer", "A{20,}[A-Za-z0-9%]{40,}")],
};

/** Tried on whole runs. */
const WHOLE: Structure[] = [
  structure("mailchimp", `[0-9a-f]{32}-us\\d{1,2}${EDGE}`),
  structure("mailgun", `[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}${EDGE}`),
  structure("maxmind", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
  structure("rapidapi", "[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{6}jsn[a-z0-9]{12}"),
  structure("azure", "[A-Za-z0-9]{40,60}(?:JQQJ99|AZDO|ACDb|AAAEHO|ACOG)[A-Za-z0-9]{10,}"),
  structure("azure", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
  // Marks of Azure's services near the end of their keys, and the checksum behind them.
  structure(
    "azure",
    `${B}{32,44}(?:AzFu|AzSe|AzCa|AZAC|AZEG|AIoT|AZMP|AZWP)${B}{4,8}={0,2}(?![A-Za-z0-9_=-])`,
  ),
  structure("new-relic", "[0-9a-f]{32,36}(?:FFFF)?NRAL(?![A-Za-z0-9])"),
  structure("ngrok", `[12][A-Za-z0-9]{26}_[A-Za-z0-9]{20,}${EDGE}`),
  structure("nostr", "nsec1[a-z0-9]{58}"),
  structure("twitter-bearer", "A{20,}[A-Za-z0-9%]{40,}"),
  structure("dropbox", `[A-Za-z0-9]{11}A{10}${B}{40,}`),
  structure("twitter", "\\d{15,20}-[A-Za-z0-9]{40}(?![A-Za-z0-9])"),
  structure("pagerduty", "[uy]\\+[A-Za-z0-9_-]{18}"),
];

/** Longest run that is looked at as a whole. */
const LONGEST = 512;

export function structuredTokenAt(text: string, start: number, end: number, next: number): Span | null {
  const size = end - start;
  const joined = next < 128 ? BY_NEXT[String.fromCharCode(next)] : undefined;
  if (joined !== undefined) {
    const found = first(joined, text, start);
    if (found !== null) return found;
    if (next === 126 && size >= 5 && text.charCodeAt(end - 1) === 81) {
      return first(joined, text, Math.max(0, end - 5));
    }
  }
  return size >= 32 && size <= LONGEST ? first(WHOLE, text, start) : null;
}

function first(structures: Structure[], text: string, start: number): Span | null {
  for (const { rule, pattern } of structures) {
    pattern.lastIndex = start;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    if (!isFakeToken(text.slice(start, end).replaceAll("AAAAAA", ""))) return { start, end, rule };
  }
  return null;
}

/** How far behind an access key's id its secret may stand. */
export const AWS_NEAR = 160;
const AWS_SECRET = /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y;

/** The secret half of an AWS key, 40 characters of base64, near its id. */
export function awsSecretAt(text: string, start: number): Span | null {
  let from = start;
  while (from > 0 && start - from < 40 && /[/+]/.test(text[from - 1] as string)) from--;
  AWS_SECRET.lastIndex = from;
  if (!AWS_SECRET.test(text)) return null;
  const end = AWS_SECRET.lastIndex;
  return looksRandom(text.slice(from, end)) ? { start: from, end, rule: "aws-secret-access-key" } : null;
}

export const structuredRules: readonly string[] = [
  ...new Set([...Object.values(BY_NEXT).flat(), ...WHOLE].map(({ rule }) => rule)),
  "aws-secret-access-key",
];
