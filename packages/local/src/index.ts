/** What tests and tools use of the embedded stack. */
export { bootstrapDatabase, withDatabase } from "./database.ts";
export { StartFailure } from "./failure.ts";
export { type Functions, type FunctionsOptions, startFunctions } from "./functions.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { migrate, pushMigrations } from "./migrations.ts";
export { freePort } from "./ports.ts";
export { type Postgres, type PostgresOptions, startPostgres } from "./postgres.ts";
export { type Stack, type StackOptions, startStack } from "./stack.ts";
export { createSupabase, type Supabase, type SupabaseOptions } from "./supabase.ts";
