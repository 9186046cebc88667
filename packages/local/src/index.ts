/**
 * The embedded stack behind `npm start`. This file exports the parts that tests and benches use. The folders, lowest layer first (a folder
 * imports only from those before it in this list):
 * processes · payments · settings · postgres · gateway · supabase · schema · functions · seeds · site. Above them, `stack.ts` starts all
 * parts (`place.ts` first takes the folder and the ports, and `start-control.ts` has the state that the steps share). On top are cli (every
 * command) and demo. The first line of a folder's main file describes the folder.
 */

export { StartFailure } from "./failure.ts";
export { type Functions, type FunctionsOptions, startFunctions } from "./functions/supervisor.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway/server.ts";
export { withDatabase } from "./postgres/connection.ts";
export { type Postgres, type PostgresOptions, startPostgres } from "./postgres/server.ts";
export { endChildrenQuickly } from "./processes/children.ts";
export { migrate, pushMigrations } from "./schema/migrations.ts";
export { freePort } from "./settings/ports.ts";
export { builtSite } from "./site/build.ts";
export { type Stack, type StackOptions, startStack } from "./stack.ts";
export { createSupabase, type Supabase, type SupabaseOptions } from "./supabase/api.ts";
export { bootstrapDatabase } from "./supabase/bootstrap.ts";
