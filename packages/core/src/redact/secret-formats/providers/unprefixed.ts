import { type SecretFormat, UUID } from "../format.ts";

const B = "[A-Za-z0-9_-]";
const EDGE = "(?![A-Za-z0-9_-])";

/** Formats that are recognized by their structure instead of a prefix. */
export const unprefixedFormats: readonly SecretFormat[] = [
  {
    id: "jwt",
    prefixes: [],
    joints: ".",
    pattern: `eyJ${B}{8,}\\.${B}{6,}\\.${B}*(?:\\.${B}*){0,2}`,
    portable: { pattern: "eyJ[A-Za-z0-9_-]{10,255}\\.eyJ[A-Za-z0-9_-]{10,}" },
  },
  { id: "discord", prefixes: [], joints: ".", pattern: `[MNO]${B}{20,30}\\.${B}{6}\\.${B}{25,}` },
  { id: "zhipu", prefixes: [], joints: ".", pattern: "[0-9a-f]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9])" },
  { id: "terraform", prefixes: [], joints: ".", pattern: "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,}" },
  {
    id: "harness",
    prefixes: [],
    joints: ".",
    pattern: "[ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{20,}\\.[A-Za-z0-9]{16,}",
  },
  {
    id: "vault",
    prefixes: [],
    joints: ".",
    pattern: "s\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}(?![A-Za-z0-9_])",
  },
  { id: "ably", prefixes: [], joints: ".", pattern: `${B}{6,8}\\.${B}{6,8}:${B}{20,}` },
  {
    id: "telegram",
    prefixes: [],
    joints: ":",
    pattern: `\\d{6,12}:A[A-Za-z]${B}{31,}`,
    portable: { pattern: "(^|[^0-9A-Za-z])[0-9]{6,12}:A[A-Za-z][A-Za-z0-9_-]{31,}" },
  },
  { id: "firebase", prefixes: [], joints: ":", pattern: `AAAA${B}{7}:${B}{100,}` },
  { id: "ghost", prefixes: [], joints: ":", pattern: "[0-9a-f]{24}:[0-9a-f]{64}(?![0-9a-f])" },
  { id: "fal", prefixes: [], joints: ":", pattern: `${UUID}:[0-9a-f]{32}(?![0-9a-f])` },
  { id: "asana", prefixes: [], joints: "/", pattern: "[12]/\\d{14,18}(?:/\\d{14,18})?:[0-9a-f]{32}" },
  // Keys of Azure's storage, buses and registries: base64, four characters that mark the service, and a checksum.
  {
    id: "azure",
    prefixes: [],
    joints: "/+",
    pattern: "[A-Za-z0-9+/]{34,84}\\+(?:ACR|ASt|ASb|AEh|ARm|ABa)[A-Za-z0-9+/]{4,8}={0,2}(?![A-Za-z0-9+/=])",
  },
  { id: "salesforce", prefixes: [], joints: "!", pattern: "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{40,}" },
  { id: "facebook", prefixes: [], joints: "|", pattern: `\\d{14,17}\\|${B}{26,40}` },
  { id: "sanctum", prefixes: [], joints: "|", pattern: "\\d{1,8}\\|[A-Za-z0-9]{40,}" },
  // The pattern excludes the id of an edge in Flowise: `chatOpenAI_0-chatOpenAI_0-output-…|…`.
  { id: "qdrant", prefixes: [], joints: "|", pattern: `(?![A-Za-z_]{3,60}_\\d{1,3}-)${B}{40,}\\|${B}{40,}` },
  {
    id: "azure-client-secret",
    prefixes: [],
    joints: "~",
    pattern: "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,}",
  },
  { id: "twitter-bearer", prefixes: [], joints: "%", pattern: "A{20,}[A-Za-z0-9%]{40,}" },
  // Formats without `joints` are matched at the beginning of a run of 32 characters or more.
  { id: "mailchimp", prefixes: [], pattern: `[0-9a-f]{32}-us\\d{1,2}${EDGE}` },
  { id: "mailgun", prefixes: [], pattern: `[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}${EDGE}` },
  { id: "maxmind", prefixes: [], pattern: "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" },
  { id: "rapidapi", prefixes: [], pattern: "[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{6}jsn[a-z0-9]{12}" },
  { id: "azure", prefixes: [], pattern: "[A-Za-z0-9]{40,60}(?:JQQJ99|AZDO|ACDb|AAAEHO|ACOG)[A-Za-z0-9]{10}" },
  { id: "azure", prefixes: [], pattern: "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])" },
  // Keys of Azure with four characters near their end that mark the service, before the checksum.
  {
    id: "azure",
    prefixes: [],
    pattern: `${B}{32,44}(?:AzFu|AzSe|AzCa|AZAC|AZEG|AIoT|AZMP|AZWP)${B}{4,8}={0,2}(?![A-Za-z0-9_=-])`,
  },
  { id: "new-relic", prefixes: [], pattern: "[0-9a-f]{32,36}(?:FFFF)?NRAL(?![A-Za-z0-9])" },
  { id: "ngrok", prefixes: [], pattern: `[12][A-Za-z0-9]{26}_[A-Za-z0-9]{20,}${EDGE}` },
  { id: "nostr", prefixes: [], pattern: "nsec1[a-z0-9]{58}" },
  { id: "twitter-bearer", prefixes: [], pattern: "A{20,}[A-Za-z0-9%]{40,}" },
  { id: "dropbox", prefixes: [], pattern: `[A-Za-z0-9]{11}A{10}${B}{40,}` },
  { id: "twitter", prefixes: [], pattern: "\\d{15,20}-[A-Za-z0-9]{40}(?![A-Za-z0-9])" },
  {
    id: "pagerduty",
    prefixes: [],
    joints: "+",
    pattern: "[uy]\\+(?=[A-Za-z_-]{0,17}\\d)[A-Za-z0-9_-]{18}(?![A-Za-z0-9_-])",
  },
];
