import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSealPair } from "../../packages/core/src/keys/seal.ts";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import { startFunctions } from "../../packages/local/src/index.ts";
import { packageFolder } from "../support/cli.ts";
import { deployAll, npmPackages, rebuild, type Upload } from "../support/deploy-api.ts";
import { functionNames } from "../support/function-names.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { testedFunctions } from "../support/tested-functions.ts";

/** A project that does not exist. */
const NOWHERE = { SUPABASE_URL: "http://127.0.0.1:9", SUPABASE_SECRET_KEYS: '{"default":"sb_secret_none"}' };

/** The functions that undo each step, newest first. */
const undo: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of undo) await step();
});

async function serve(root: string, name: string, env: Record<string, string> = {}): Promise<string> {
  const log: string[] = [];
  const running = await startFunctions({
    functionsDir: join(root, "supabase", "functions"),
    names: [name],
    env,
    onLog: (line) => log.push(line),
  });
  undo.unshift(() => running.stop());
  const port = await running.port(name);
  if (port === undefined) throw new Error(log.join("\n"));
  return `http://127.0.0.1:${port}/${name}`;
}

function send(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

let uploads: Map<string, Upload>;
beforeAll(async () => {
  uploads = await deployAll();
});

test("every function is deployed by the one command of the pages", () => {
  expect([...uploads.keys()].sort()).toEqual(functionNames);
});

describe.each([...testedFunctions])("%s, as the Supabase CLI uploads it", (name, { deployed }) => {
  let upload: Upload;
  beforeAll(() => {
    upload = uploadOf(name);
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

  test("takes no file along that it has no use for", () => {
    expect([...upload.files.keys()].filter((path) => deployed.foreign.test(path))).toEqual([]);
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
    const url = await serve(root, name, { ...NOWHERE, KEYHUB_UNSEAL_KEYS: await unsealKeys() });

    const { path = "", method = "POST", valid, refused, far } = deployed;
    const nobody = await send(method, `${url}${path}`, valid, refused);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("content-type")).toBe(PROBLEM_TYPE);
    const code = refused === undefined ? "missing_credential" : "invalid_credential";
    const file = `tests/support/functions/${name}.ts`;
    expect(await nobody.json(), `refused in ${file}`).toMatchObject({ status: 401, code });

    const reached = await send(method, `${url}${path}`, far.body, far.headers);
    expect(await reached.json(), `far in ${file}`).toMatchObject({ status: far.status, code: far.code });
    expect(reached.headers.get("content-type")).toBe(PROBLEM_TYPE);
  });
});

function uploadOf(name: string): Upload {
  const upload = uploads.get(name);
  if (upload === undefined) throw new Error(`${name} was not deployed`);
  return upload;
}

async function unsealKeys(): Promise<string> {
  const { unsealKey } = await generateSealPair();
  return JSON.stringify([unsealKey]);
}

// This shows that the tests above can fail.
test.runIf(LONG_TESTS)("a file of core that the CLI left behind would be missed", async () => {
  const upload = uploadOf("set-key-state");
  const { folder: root, remove } = await rebuild(upload);
  undo.unshift(remove);
  await rm(join(root, "packages", "core", "src", "problem.ts"));
  await expect(serve(root, "set-key-state")).rejects.toThrow(/problem\.ts/);
});
