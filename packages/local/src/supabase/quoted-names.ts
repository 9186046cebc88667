import type { ReservedConnection } from "./connection-pool.ts";

/** Quotes the names of a function's arguments: @supabase/lite does not quote them, and some are keywords of SQL. */
export function withQuotedNames(connection: ReservedConnection): ReservedConnection {
  return {
    ...connection,
    unsafe: (text, parameters) =>
      connection.unsafe(text.replace(/([(,]\s*)([a-z_][a-z0-9_]*)( *(?:=>|:=) *)/g, '$1"$2"$3'), parameters),
  };
}
