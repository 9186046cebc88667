import { CommandFailure } from "../failure.ts";
import type { DatabaseFault } from "./database.ts";

/** The database refused the request of a command. */
export class RefusedByDatabase extends CommandFailure {
  readonly isDuplicateKey: boolean;

  constructor({ code, message, details }: DatabaseFault) {
    super(sentenceOf(code, message));
    this.isDuplicateKey =
      (code === "PT422" && /"duplicate_key"/.test(details ?? "")) ||
      (code === "23505" && message.includes("user_api_keys_fingerprint_key"));
  }
}

const MISSING = ["42P01", "42883", "42703", "PGRST202", "PGRST204", "PGRST205"];

/** Returns a sentence for the user. Only messages of Keyhub's own SQL are shown; others may contain values of a row. */
function sentenceOf(code: string, message: string): string {
  if (code.startsWith("PT")) return `refused: ${message}`;
  if (MISSING.includes(code))
    return "the database lacks Keyhub's tables, or has older ones; apply the migrations (supabase db push)";
  if (code === "42501") return "this needs the rights of the database's owner: set SUPABASE_DB_URL";
  if (code === "28P01") return "the database refuses the password of SUPABASE_DB_URL";
  return `the database returned an unexpected error: ${code}`;
}
