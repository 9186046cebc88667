import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runTool } from "../support/cli.ts";
import { readPage } from "../support/docs/pages.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { clusterUrl } from "../support/shared.ts";

/*
 * Tests that docs/design/new-function.md is complete: a function that is made as the page says, in a copy of the repository, passes the
 * tests of every function. A long test.
 */

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "keyhub-new-function-"));
});
afterAll(() => rm(copy, { recursive: true }));

test.runIf(LONG_TESTS)(
  "the function of the page passes its own test and those of every function",
  async () => {
    await copyRepository();
    const files = [
      ...readPage("docs/design/new-function.md").matchAll(
        /^## (\S+\/\S+)$[\s\S]+?^```\w+\n([\s\S]+?)^```$/gm,
      ),
    ];
    expect(files).toHaveLength(7);
    for (const [, file = "", text = ""] of files) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await writeFile(join(copy, file), text);
    }
    await edit("packages/core/package.json", (text) =>
      text.replace('"exports": {', '"exports": {\n    "./title-request": "./src/hub/title-request.ts",'),
    );
    await edit(
      "docs/api/hub.md",
      (text) => `${text}\n\`\`\`sh\ncurl -s "$SUPABASE_URL/functions/v1/hub-title"\n\`\`\`\n`,
    );

    const env = { ...process.env, KEYHUB_TEST_CLUSTER: await clusterUrl() };
    const generated = await runTool("node", ["tests/support/generate.ts"], { cwd: copy, env });
    expect(generated).toMatchObject({ code: 0 });
    const checked = await runTool("tsc", ["--noEmit"], { cwd: copy });
    expect(checked.code, checked.stdout).toBe(0);
    const tests = ["tests/http/hub-title.test.ts", "tests/http/endpoint.test.ts", "tests/http/openapi"];
    const pages = ["tests/unit/openapi.test.ts", "tests/unit/docs/complete.test.ts"];
    const run = await runTool("vitest", ["run", ...tests, ...pages, "--reporter=dot"], { cwd: copy, env });
    expect(run.code, run.stdout).toBe(0);
  },
);

/**
 * Copies the files that a new function may change or that test it. The copy has its own workspace packages, but links to the npm packages.
 */
async function copyRepository(): Promise<void> {
  for (const part of [
    "package.json",
    "vitest.config.ts",
    "tsconfig.json",
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
  ])
    await cp(join(repository, part), join(copy, part));
  for (const folder of ["docs", "packages", "supabase", "tests"])
    await cp(join(repository, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true });
  await mkdir(join(copy, "node_modules"));
  for (const name of await readdir(join(repository, "node_modules"))) {
    const from = name === "@keyhub" ? join(copy, "packages") : join(repository, "node_modules", name);
    await symlink(from, join(copy, "node_modules", name), "dir");
  }
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(copy, file);
  await writeFile(path, change(await readFile(path, "utf8")));
}
