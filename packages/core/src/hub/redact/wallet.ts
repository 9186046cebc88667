import { type Idiom, idiom } from "./commands.ts";

/** Keys of wallets and of Fernet, in the calls and settings that take them: 64 hex digits are a digest elsewhere. */
export const WALLETS: readonly Idiom[] = [
  idiom("allet(", /(\bWallet\(\s{0,4}["'`])((?:0x)?[0-9a-fA-F]{64})(?=["'`])/g),
  idiom(
    "rivateKey",
    /(\b(?:privateKeyTo(?:Account|Address|PublicKey)|fromPrivateKey|importPrivateKey|addFromPrivateKey|private_?[kK]ey["'`]?)(?:\(|\s{0,4}[:=])\s{0,4}["'`]?)((?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])/g,
  ),
  idiom("from_key(", /(\bfrom_key\(\s{0,4}["'])((?:0x)?[0-9a-fA-F]{64})(?=["'])/g),
  idiom("roadcast(", /(\bstartBroadcast\(\s{0,4})((?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])/g),
  idiom("ccounts", /(\baccounts["'`]?\s{0,4}[:=]\s{0,4}\[\s{0,40}["'`])(0x[0-9a-fA-F]{64})(?=["'`])/g),
  idiom("ernet(", /(\b(?:Multi)?Fernet\(\s{0,4}b?["'])([A-Za-z0-9_-]{43}=)(?=["'])/g),
  idiom(
    "ecretKey(",
    /(\bfromSecretKey\(\s{0,4}(?:[\w.]{1,24}\(\s{0,4}){0,2}["'`])([1-9A-HJ-NP-Za-km-z]{80,90}|[A-Za-z0-9]{80,90})(?=["'`])/g,
  ),
];
