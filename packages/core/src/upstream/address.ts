/** The address ranges that contain no public hosts: first address and prefix length (RFC 6890 and its registry). */
const PRIVATE_IPV4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Names that are not in the public DNS. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)\.?$/;

/** Returns whether a host, as URL.hostname writes it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Returns whether a host is an address or a name outside the public internet. URL parsing has already turned `0x7f.1`,
 * `2130706433` and the like into four numbers. IPv6 addresses are in brackets, or without them in DNS answers.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (host.includes(":")) return isPrivateIpv6(host);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIpv4(host);
  // A name without a dot belongs to a local network.
  return !host.replace(/\.$/, "").includes(".") || PRIVATE_NAMES.test(host);
}

function isPrivateIpv4(address: string): boolean {
  const own = numberOf(address);
  return PRIVATE_IPV4.some(([first, bits]) => own >>> (32 - bits) === numberOf(first) >>> (32 - bits));
}

function numberOf(address: string): number {
  return address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

/** Only 2000::/3 is public, except its ranges for 6to4 (2002::/16), protocols such as Teredo (2001::/23) and documentation. */
function isPrivateIpv6(address: string): boolean {
  const groups = groupsOf(address);
  if (groups === null) return true;
  const [first = 0, second = 0] = groups;
  if (first >>> 13 !== 1) return true;
  return first === 0x2002 || first === 0x3fff || (first === 0x2001 && (second < 0x200 || second === 0xdb8));
}

/** Returns the eight numbers of an IPv6 address; null for any other text. */
function groupsOf(address: string): number[] | null {
  const text = URL.parse(`http://[${address.replace(/%.*$/, "")}]/`)?.hostname.slice(1, -1);
  if (text === undefined) return null;
  const [before = "", after] = text.split("::");
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [read(before), read(after ?? "")];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
