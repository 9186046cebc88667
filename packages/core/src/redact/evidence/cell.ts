import type { NameKind } from "../types.ts";
import { credentialIn, isPlainName } from "./credential-value.ts";
import {
  isDigest,
  isGibberish,
  isMixedThroughout,
  isPasswordLike,
  isUuid,
  looksRandom,
  looksSecret,
} from "./entropy.ts";

/**
 * Returns whether a table cell holds a credential. `kind` is the kind of the column's name, or of the label beside the cell. Cells in
 * documents often have words (`required`, `2 keys`), so a credential must be one word, and under most kinds of name it must look like a secret.
 */
export function isCredentialCell(kind: NameKind, name: string, cell: string): boolean {
  if (kind === "none" || cell.length < 4 || /\s/.test(cell) || credentialIn(kind, cell) === null)
    return false;
  if (kind === "pin" || kind === "reference" || kind === "organization") return /\d/.test(cell);
  if (kind === "strong" && PASSWORD.test(name) && isPasswordLike(cell)) return true;
  if (isUuid(cell)) return kind === "strong" && /key|secret|token/i.test(name);
  if (/^[A-Za-z_$][\w$]*(?:\(|\.[A-Za-z_$])|\]\(|^[-@#:]/.test(cell) && !isMixedThroughout(cell))
    return false;
  if (isDigest(cell)) return kind === "strong" || kind === "token";
  if (kind === "strong" && PASSWORD.test(name)) return isPassword(cell);
  if (kind === "strong" && cell.length >= 16 && /\d/.test(cell) && !isPlainName(cell)) return true;
  return (looksSecret(cell) && !isPlainName(cell)) || looksRandom(cell) || isGibberish(cell);
}

const PASSWORD = /pass|pwd|wort|contrase|senha|wachtwoord|has[lł]o|парол|密码|密碼|パスワード/i;

function isPassword(cell: string): boolean {
  if (cell.length < 6 || /^(?:\d{1,3}[-–+]\d{0,3}|[\d.,]+%?)$/.test(cell)) return false;
  return (
    (/\d/.test(cell) && /[A-Za-z]/.test(cell)) ||
    isGibberish(cell) ||
    /^\d{6,}$/.test(cell) ||
    looksSecret(cell)
  );
}
