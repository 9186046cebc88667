import { isPlaceholder } from "../evidence/placeholder.ts";
import type { Span } from "../types.ts";

/** How far before a key the call or setting that takes it may begin. */
const BACK = 64;
/** Calls and settings that take 64 hex digits as the key of a wallet; elsewhere these are a digest or the id of a transaction. */
const TAKES_HEX =
  /(?:\bWallet\(|\b(?:privateKeyTo(?:Account|Address|PublicKey)|fromPrivateKey|importPrivateKey|addFromPrivateKey|from_key|startBroadcast)\(|\bprivate_?[kK]ey["'`]?\s{0,4}[:=(]|\baccounts["'`]?\s{0,4}[:=]\s{0,4}\[)\s{0,24}["'`]?$/;
/** A key of Fernet, 32 bytes in base64, and one of Solana, 64 bytes in base58. */
const TAKES_FERNET = /\b(?:Multi)?Fernet\(\s{0,4}b?["']$/;
const TAKES_BASE58 = /\bfromSecretKey\(\s{0,4}(?:[\w.]{1,24}\(\s{0,4}){0,2}["'`]$/;

/** The key of a wallet or of Fernet, by its length and by the call or setting that takes it. */
export function walletKeyAt(text: string, start: number, end: number, next: number): Span | null {
  const size = end - start;
  if (size !== 43 && size !== 64 && size !== 66 && (size < 80 || size > 90)) return null;
  const takes = size === 64 || size === 66 ? TAKES_HEX : size === 43 ? TAKES_FERNET : TAKES_BASE58;
  if (!takes.test(text.slice(Math.max(0, start - BACK), start))) return null;
  const word = text.slice(start, end);
  if (isPlaceholder(word) || new Set(word).size < 8) return null;
  if (takes === TAKES_HEX && !/^(?:0x)?[0-9a-fA-F]{64}$/.test(word)) return null;
  if (takes === TAKES_FERNET && next !== 61) return null;
  return { start, end: takes === TAKES_FERNET ? end + 1 : end, rule: "private-key" };
}
