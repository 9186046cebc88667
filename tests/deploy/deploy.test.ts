import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSealPair } from "../../packages/core/src/keys/seal.ts";
import { startFunctions } from "../../packages/local/src/index.ts";
import { packageFolder, repository } from "../support/cli.ts";
import { deploy, npmPackages, rebuild, type Upload } from "../support/deploy-api.ts";

const folder = join(repository, "supabase", "functions");
const functions = (await readdir(folder)).filter((name) => existsSync(join(folder, name, "index.ts")));

const AGENT = { authorization: `Bearer kh_agent_${"0".repeat(64)}` };
const LEASE = "00000000-0000-4000-8000-000000000000";

/**
 * A body that only lacks a credential, who is refused unless it is nobody, and a call that needs every module of the function:
 * what it is answered where no database can be reached. A module that is missing is a 500.
 */
const bodies: Record<string, { path?: string; valid: unknown; refused?: Record<string, string>; far: Far }> =
  {
    "hub-import": {
      valid: {
        document: {
          ...{ format: "keyhub.asset", format_version: 1, asset_type: "template", title: "A greeting" },
          ...{ description: null, tags: [], license: "cc0", payload: { content: "Hello" }, items: [] },
          ...{ attribution: null, sha256: "0".repeat(64) },
        },
      },
      // Who sends no credential is a guest.
      refused: { authorization: "Bearer nobody" },
      far: { body: { document: 7, mode: "steal" }, headers: {}, status: 422, code: "validation_failed" },
    },
    "hub-publish": {
      valid: {
        asset_type: "template",
        ref_id: LEASE,
        title: "A greeting",
        description: "Greets people.",
        license: "cc0",
      },
      // Auth answers for what is no token at all without asking anybody.
      far: { body: {}, headers: { authorization: "Bearer a.b.c" }, status: 401, code: "invalid_credential" },
    },
    "get-active-key": {
      valid: {},
      far: {
        body: { provider: "openai", previous: { lease_id: LEASE, status: "fail", error_code: 429 } },
        ...{ headers: AGENT, status: 503, code: "unavailable" },
      },
    },
    "keyhub-gateway": {
      path: "/openai/v1/chat/completions",
      valid: { model: "gpt", messages: [] },
      // The database alone knows an agent, and cannot be asked.
      far: { body: { model: "gpt", messages: [] }, headers: AGENT, status: 503, code: "unavailable" },
    },
    "set-key-state": {
      valid: { lease_id: LEASE, status: "success" },
      far: {
        body: { lease_id: LEASE, status: "fail", error_code: 429, error_message: "try again in 5s" },
        ...{ headers: AGENT, status: 503, code: "unavailable" },
      },
    },
  };

interface Far {
  body: unknown;
  headers: Record<string, string>;
  status: number;
  code: string;
}

/** A project that is not there. */
const NOWHERE = { SUPABASE_URL: "http://127.0.0.1:9", SUPABASE_SECRET_KEYS: '{"default":"sb_secret_none"}' };

/** What must never travel with a function: it is not its business and would only make it slower. */
const foreign: Record<string, RegExp> = {
  "hub-import": /\/core\/src\/(?:keys|scan)\//,
  "hub-publish": /\/core\/src\/keys\//,
  "get-active-key": /\/core\/src\/(?:hub|scan)\//,
  "keyhub-gateway": /\/core\/src\/(?:hub|scan)\//,
  "set-key-state": /\/core\/src\/(?:hub|scan)\/|\/keys\/seal\.ts$/,
};

/** The uploads, by the name of the function. */
const uploads = new Map<string, Upload>();

/** Everything that was made on the way, newest first. */
const undo: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of undo) await step();
});

async function serve(root: string, name: string, env: Record<string, string> = {}): Promise<string> {
  const running = await startFunctions({
    functionsDir: join(root, "supabase", "functions"),
    names: [name],
    env,
  });
  undo.unshift(() => running.stop());
  return `http://127.0.0.1:${running.ports[name]}/${name}`;
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
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
    uploads.set(name, upload);
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
    const url = await serve(root, name, { ...NOWHERE, KEYHUB_UNSEAL_KEYS: await unsealKeys() });

    const { path = "", valid, refused, far } = bodies[name] ?? {};
    const nobody = await post(`${url}${path}`, valid, refused);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("content-type")).toBe("application/problem+json");
    const code = refused === undefined ? "missing_credential" : "invalid_credential";
    expect(await nobody.json()).toMatchObject({ status: 401, code });

    const reached = await post(`${url}${path}`, far?.body, far?.headers);
    expect(await reached.json()).toMatchObject({ status: far?.status, code: far?.code });
    expect(reached.headers.get("content-type")).toBe("application/problem+json");
  });
});

async function unsealKeys(): Promise<string> {
  const { unsealKey } = await generateSealPair();
  return JSON.stringify([unsealKey]);
}

test("a file of core that the CLI left behind would be missed", async () => {
  const upload = uploads.get("set-key-state") ?? (await deploy("set-key-state"));
  const { folder: root, remove } = await rebuild(upload);
  undo.unshift(remove);
  await rm(join(root, "packages", "core", "src", "problem.ts"));
  await expect(serve(root, "set-key-state")).rejects.toThrow(/problem\.ts/);
});
