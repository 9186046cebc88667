import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KEY_HEADERS } from "../../packages/core/src/rotate/key-places.ts";
import { ALIASES, PROVIDER_NAMES, providerOf } from "../../packages/core/src/rotate/providers.ts";
import { repository } from "../support/cli.ts";

const HERE = "packages/core/src/rotate/providers.ts";
const THERE = "packages/python/keyhub.py";

type Table = Record<string, { place: string; hosts: string[] }>;

/** Reads the table of keyhub.py as text, so that machines without Python compare it, too. */
function tableOfPython(text: string): Table {
  const [, body = ""] = /^PROVIDERS = \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  const rows = body.trimEnd().split("\n");
  return Object.fromEntries(
    rows.map((row) => {
      const [, name = "", place = "", hosts = ""] =
        /^ {4}"([\w-]+)": \("([\w-]+)", \(([^()]*)\)\),$/.exec(row) ?? [];
      expect(name, `this test cannot read a row of PROVIDERS in ${THERE}: ${row}`).not.toBe("");
      return [name, { place, hosts: textsIn(hosts) }];
    }),
  );
}

const textsIn = (text: string): string[] => [...text.matchAll(/"([^"]*)"/g)].map(([, found = ""]) => found);

test("the table of providers is the same in TypeScript and in Python", async () => {
  const text = await readFile(join(repository, THERE), "utf8");
  const there = tableOfPython(text);
  const here: Table = Object.fromEntries(
    PROVIDER_NAMES.map((name) => {
      const { place, hosts } = providerOf(name) ?? { place: "", hosts: [] };
      return [name, { place, hosts: [...hosts] }];
    }),
  );
  for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
    expect(there[name], `${name}: correct it in PROVIDERS of ${THERE}, or in ${HERE}`).toEqual(here[name]);
  }

  // Below its table, keyhub.py gives some providers a second name.
  const second = [...text.matchAll(/^PROVIDERS\["([\w-]+)"\] = PROVIDERS\["([\w-]+)"\]$/gm)];
  expect(
    Object.fromEntries(second.map(([, alias = "", name = ""]) => [alias, name])),
    `second names: correct them below PROVIDERS of ${THERE}, or in ALIASES of ${HERE}`,
  ).toEqual(ALIASES);

  const [, places = ""] = /^PLACES = \(([^()]*)\)$/m.exec(text) ?? [];
  expect(
    textsIn(places),
    `PLACES of ${THERE} has other headers than packages/core/src/rotate/key-places.ts`,
  ).toEqual([...KEY_HEADERS]);
});
