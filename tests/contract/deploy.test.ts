import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFunctions } from "../../packages/local/src/index.ts";
import { packageFolder, repository } from "../support/cli.ts";
import { deploy, npmPackages, rebuild, type Upload } from "../support/deploy-api.ts";

const folder = join(repository, "supabase", "functions");
const functions = (await readdir(folder)).filter((name) => existsSync(join(folder, name, "index.ts")));

/** A body that only lacks a credential, and one whose types are wrong. */
const bodies: Record<string, { valid: unknown; wrong: unknown }> = {
  "get-active-key": { valid: {}, wrong: { provider: 7 } },
  "set-key-state": {
    valid: { lease_id: "00000000-0000-4000-8000-000000000000", status: "success" },
    wrong: { lease_id: 7, status: "perhaps", error_code: [] },
  },
};

/** What must never travel with a function: it is not its business and would only make it slower. */
const foreign: Record<string, RegExp> = {
  "get-active-key": /\/core\/src\/(?:hub|scan)\//,
  "set-key-state": /\/core\/src\/(?:hub|scan)\/|\/keys\/seal\.ts$/,
};

/** Everything that was made on the way, newest first. */
const undo: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of undo) await step();
});

async function serve(root: string, name: string): Promise<string> {
  const running = await startFunctions({
    functionsDir: join(root, "supabase", "functions"),
    names: [name],
    env: {},
  });
  undo.unshift(() => running.stop());
  return `http://127.0.0.1:${running.ports[name]}/${name}`;
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("there are functions to deploy, and each has its bodies here", () => {
  expect(functions.length).toBeGreaterThan(0);
  expect(Object.keys(bodies)).toEqual(expect.arrayContaining(functions));
});

describe.each(functions)("%s, as the Supabase CLI uploads it", (name) => {
  let upload: Upload;
  beforeAll(async () => {
    upload = await deploy(name);
  });

  test("names its entrypoint and import map, and checks its callers itself", () => {
    expect(upload.metadata).toMatchObject({
      name,
      entrypoint_path: `supabase/functions/${name}/index.ts`,
      import_map_path: `supabase/functions/${name}/deno.json`,
      verify_jwt: false,
    });
    expect([...upload.files.keys()]).toEqual(
      expect.arrayContaining([upload.metadata.entrypoint_path, upload.metadata.import_map_path]),
    );
  });

  test("takes nothing along that is not its business", () => {
    const pattern = foreign[name];
    expect([...upload.files.keys()].filter((path) => pattern?.test(path))).toEqual([]);
  });

  test("asks for the versions that are tested here", async () => {
    for (const [npmName, version] of npmPackages(upload)) {
      const manifest = JSON.parse(await readFile(join(packageFolder(npmName), "package.json"), "utf8"));
      expect(`${npmName}@${version}`).toBe(`${npmName}@${manifest.version}`);
    }
  });

  test("answers where there is nothing but the upload", async () => {
    const { folder: root, remove } = await rebuild(upload);
    undo.unshift(remove);
    const url = await serve(root, name);

    const nobody = await post(url, bodies[name]?.valid);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("content-type")).toBe("application/problem+json");
    expect(await nobody.json()).toMatchObject({ status: 401, code: "missing_credential" });

    const wrong = await post(url, bodies[name]?.wrong);
    expect(wrong.status).toBe(422);
    expect(wrong.headers.get("content-type")).toBe("application/problem+json");
    expect(await wrong.json()).toMatchObject({ status: 422, code: "validation_failed" });
  });
});

test("a file of core that the CLI left behind would be missed", async () => {
  const upload = await deploy("set-key-state");
  const { folder: root, remove } = await rebuild(upload);
  undo.unshift(remove);
  await rm(join(root, "packages", "core", "src", "problem.ts"));
  await expect(serve(root, "set-key-state")).rejects.toThrow(/problem\.ts/);
});
