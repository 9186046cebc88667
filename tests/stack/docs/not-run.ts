/** The code blocks of the documentation that no test runs, by their beginnings, each with the reason. All other code blocks are run. */
export const NOT_RUN: readonly (readonly [start: RegExp, reason: string])[] = [
  [/^npm ci/, "sets up the machine that the test runs on"],
  [/^npm run demo/, "takes half a minute; tests/stack/demo runs it"],
  [/^set -a && \. \.\/\.env\.local/, "reads the file of npm start; here the settings are given"],
  [/^npx supabase (login|link|db push)/, "needs a hosted project"],
  [/^supabase secrets set/, "needs a hosted project"],
  [/^KEYHUB_ENV_FILE=production\.env/, "needs the file of a hosted project; tests/stack/tools runs it"],
  [/^curl -s -X POST https:/, "needs a hosted project"],
  [/^npm run -s keygen > production\.env/, "writes into the repository; tests/stack/tools runs it"],
  [/^(pg_dump|psql)/, "needs a pg_dump of version 17, which npm does not have"],
  [/^cp -a/, "copies the folder of a stack that is stopped"],
  [/^git pull/, "changes the repository that the test runs in"],
  [
    /^npm (start|test|run (check|logs|bench|pictures|test:only|db:|generate|test:soak|test:mutation))/,
    "a command of its own length; its tests are in tests/",
  ],
  [/^npx openapi-typescript/, "fetches a package that is not of this repository"],
  [/^npm run build --workspace @keyhub\/client/, "tests/stack/client-example.test.ts runs it"],
  [/^select vault\.create_secret/, "needs Vault, which the embedded Postgres does not have"],
  [/^select keyhub_schedule/, "needs pg_cron, which the embedded Postgres does not have"],
];

/** The languages whose code blocks are not run, with the reason. */
export const SHOWN: Record<string, string> = {
  text: "a drawing, or what a command prints",
  nginx: "the configuration of another program",
  ts: "a signature or a part of a program",
  python: "a part of a program; tests/client/python.test.ts runs keyhub.py",
};

/** Pages whose SQL and JSON are parts of something larger, with the reason. */
export const EXCERPTS: Record<string, string> = {
  "docs/design/schema.md": "an entry of the list of guards",
  "docs/design/new-function.md": "files of a function; tests/deploy/new-function.test.ts makes and tests it",
};

/** Matches a statement that finds no row in a healthy stack. Every other statement must find some. */
export const MAY_FIND_NOTHING = /from (?:api_key_alerts|hub_reconcile\(\)|private\.ledger)/;
