/** A character of ASCII in percent-encoding, however often it was encoded: `%6b`, `%256b`, `%25256b`. */
const ESCAPED = /%(?:25)*([0-7][0-9a-f])/gi;

/** Whether a text holds an agent token, or its beginning: also in percent-encoding and in other case. */
export function holdsAgentToken(text: string): boolean {
  const plain = text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return /kh_agent_/i.test(plain);
}
