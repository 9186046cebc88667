import type postgres from "postgres";
import type { DemoPool } from "./pool.ts";
import type { DemoProvider } from "./provider.ts";
import type { DemoRecord } from "./record.ts";
import type { Screen } from "./screen.ts";
import type { DemoSettings } from "./settings.ts";

/** The data that the parts of a run share. */
export interface DemoRun {
  settings: DemoSettings;
  sql: postgres.Sql;
  pool: DemoPool;
  provider: DemoProvider;
  screen: Screen;
  record: DemoRecord;
  /** Ends the run. An agent finishes its current call first, so that every lease is reported. */
  end: AbortController;
}
