/** What tests and tools use of the embedded stack. */
export { bootstrapDatabase, withDatabase } from "./database.ts";
export { StartFailure } from "./failure.ts";
export { migrationsAreApplied, pushMigrations } from "./migrations.ts";
export { freePort } from "./ports.ts";
export { type Postgres, type PostgresOptions, startPostgres } from "./postgres.ts";
