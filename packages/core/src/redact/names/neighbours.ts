import { isBasicPair } from "../evidence/basic-pair.ts";
import type { NameKind } from "../types.ts";

/** Names that are those of a secret beside the name of a user. */
const BESIDE_USER = /^(?:pass|pin|login)$/i;
const USER = /^(?:user|username|login|email|host|account|user_name)$/i;

/** A weak name that becomes a strong one by its neighbours or its value: `{user, pass}`, base64 of a pair, a cookie. */
export function kindWithNeighbours(key: string, value: string, besideUser: boolean): NameKind {
  if (besideUser && BESIDE_USER.test(key)) return key.toLowerCase() === "login" ? "weak" : "strong";
  if (/auth/i.test(key) && !/\s/.test(value)) {
    if (/^[\w.@+-]{1,64}:[^\s/]{3,}$/.test(value) || (value.length >= 8 && isBasicPair(value)))
      return "strong";
  }
  if (/cookies?$/i.test(key) && /=[^;\s]{6,}/.test(value)) return "strong";
  if (/connection$/i.test(key)) return /^\d{3,}$|^[0-9a-f-]{36}$/i.test(value) ? "reference" : "weak";
  return "weak";
}

/** Whether a weak name may mean a secret because a user name is beside it. */
export const mayBeBesideUser = (key: string): boolean => BESIDE_USER.test(key);
export const holdsUser = (object: object): boolean => Object.keys(object).some((key) => USER.test(key));
