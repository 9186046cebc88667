/** Matches an ASCII character that was percent-encoded, once or several times: `%6b`, `%256b`, `%25256b`. */
const ESCAPED = /%(?:25)*([0-7][0-9a-f])/gi;

/** Returns whether a text contains the beginning of an agent token, even if it is percent-encoded or in upper case. */
export function holdsAgentToken(text: string): boolean {
  const plain = text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return /kh_agent_/i.test(plain);
}
