import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { hubTypes, hubTypesFile } from "../../support/hub-types.ts";

test("the types of @keyhub/hub are those of the contracts", async () => {
  const committed = await readFile(hubTypesFile, "utf8");
  expect(committed, "packages/hub/src/answers.ts is stale: npm run generate").toBe(await hubTypes());
});
