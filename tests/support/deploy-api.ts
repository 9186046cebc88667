import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageFolder, supabase } from "./cli.ts";

/** What the Supabase CLI uploads for one function: the metadata and the files. */
export interface Upload {
  metadata: { name: string; entrypoint_path: string; import_map_path: string; verify_jwt: boolean };
  /** The text of each file, by its path from the root of the project. */
  files: Map<string, string>;
}

const project = "keyhubtestkeyhubtest";
const DEPLOY = new RegExp(`^POST /v1/projects/${project}/functions/deploy\\?.*slug=([\\w-]+)`);
const BULK_UPDATE = `PUT /v1/projects/${project}/functions`;

/**
 * Deploys every function with the real Supabase CLI to a fake management API on loopback, in the way that the documentation describes.
 * Returns the uploads by function name. All other traffic of the CLI (other hosts, Docker) goes to that API, too, and then this function
 * throws.
 */
export async function deployAll(): Promise<Map<string, Upload>> {
  const uploads = new Map<string, Upload>();
  const others: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = `${request.method} ${request.url}`;
    response.setHeader("content-type", "application/json");
    const [, slug] = DEPLOY.exec(asked) ?? [];
    if (slug !== undefined) {
      const upload = await readUpload(Buffer.concat(chunks), String(request.headers["content-type"]));
      uploads.set(slug, upload);
      response.statusCode = 201;
      response.end(JSON.stringify(storedFunction(slug, upload)));
    } else if (asked === BULK_UPDATE) {
      const functions = [...uploads].map(([name, upload]) => storedFunction(name, upload));
      response.end(JSON.stringify({ functions }));
    } else {
      if (asked !== `GET /v1/projects/${project}`) others.push(asked);
      response.end("[]");
    }
  });
  // A CONNECT request means that the CLI tried to reach another host by https through this proxy.
  server.on("connect", (request, socket) => {
    others.push(`CONNECT ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "keyhub-deploy-"));
  try {
    const profile = join(folder, "profile.yaml");
    const url = `http://${api}`;
    await writeFile(
      profile,
      `name: loopback\napi_url: ${url}\ndashboard_url: ${url}\nproject_host: 127.0.0.1\n`,
    );
    const { code, stderr, stdout } = await supabase(
      ["functions", "deploy", "--use-api", `--remote=${project}`, "--profile", profile],
      {
        SUPABASE_ACCESS_TOKEN: `sbp_${"0".repeat(40)}`,
        DOCKER_HOST: `tcp://${api}`,
        HTTP_PROXY: url,
        HTTPS_PROXY: url,
        NO_PROXY: "127.0.0.1",
      },
    );
    if (code !== 0 || uploads.size === 0) throw new Error(`not deployed:\n${stdout}${stderr}`);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (others.length > 0) throw new Error(`the CLI also asked for ${others.join(", ")}`);
  return uploads;
}

/** Returns a function as the management API describes it. */
function storedFunction(name: string, { metadata }: Upload): Record<string, unknown> {
  const now = Date.now();
  return {
    ...{ id: name, slug: name, name, version: 1, status: "ACTIVE", verify_jwt: metadata.verify_jwt },
    ...{ created_at: now, updated_at: now },
  };
}

async function readUpload(body: Buffer, contentType: string): Promise<Upload> {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
  const files = new Map<string, string>();
  for (const part of form.getAll("file")) {
    if (typeof part !== "string") files.set(part.name, await part.text());
  }
  return { metadata: JSON.parse(String(form.get("metadata"))), files };
}

/**
 * Writes an upload to an empty folder outside the repository, with only the npm packages of its import map. There, node_modules has no
 * links to packages of the repository, which could provide a file that is missing in the upload.
 */
export async function rebuild(upload: Upload): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "keyhub-upload-")));
  for (const [path, text] of upload.files) {
    const file = join(folder, path);
    if (!file.startsWith(folder)) throw new Error(`${path} leads out of the upload`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const name of npmPackages(upload).keys()) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(packageFolder(name), link, "junction");
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Returns the versions of an import map by package name: `npm:@hpke/core@1.9.0` is @hpke/core 1.9.0, `npm:zod@4.6.7/mini` is zod 4.6.7. */
export function npmPackages({ files, metadata }: Upload): Map<string, string> {
  const importMap: { imports?: Record<string, string> } = JSON.parse(
    files.get(metadata.import_map_path) ?? "{}",
  );
  const packages = new Map<string, string>();
  for (const target of Object.values(importMap.imports ?? {})) {
    const [, name, version = ""] = /^npm:((?:@[^/]+\/)?[^@/]+)(?:@([^/]+))?/.exec(target) ?? [];
    if (name !== undefined) packages.set(name, version);
  }
  return packages;
}
