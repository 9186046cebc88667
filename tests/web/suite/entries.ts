import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { builtSite, freePort } from "../../../packages/local/src/index.ts";
import { commandOf } from "../../support/cli.ts";
import { until } from "../../support/until.ts";
import { stack } from "../fixture.ts";

const built = async () => join(await builtSite(), "server");

test("the worker answers as the local gateway does", async () => {
  const { default: worker } = await import(join(await built(), "worker.js"));
  const { SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, KEYHUB_SEAL_KEY } = stack.env;
  const path = "/hub/components/json-tree";
  const request = new Request(`${stack.url}${path}`);
  const response: Response = await worker.fetch(request, {
    ...{ SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, KEYHUB_SEAL_KEY },
  });
  const local = await fetch(`${stack.url}${path}`);
  expect([response.status, await response.text()]).toEqual([local.status, await local.text()]);
  expect(response.headers.get("content-security-policy")).toBe(local.headers.get("content-security-policy"));
  // Node, unlike the worker's host, cannot load WebAssembly as a module. So nothing is drawn, the log says why, and
  // the picture of the type is sent.
  const log = vi.spyOn(console, "error").mockReturnValue();
  const picture: Response = await worker.fetch(new Request(`${stack.url}${path}.png`), {
    ...{ SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY },
  });
  expect([picture.status, picture.headers.get("location")]).toEqual([302, "/pictures/components.png"]);
  expect(log.mock.lastCall?.join(" ")).toContain("resvg.wasm");
  log.mockRestore();
});

test("deno serves pages and their files", async () => {
  const port = await freePort();
  const [command, ...first] = commandOf("deno");
  const child = spawn(
    command,
    [
      ...first,
      "serve",
      "--no-config",
      "--allow-env",
      "--allow-net",
      "--allow-read",
      "--host=127.0.0.1",
      `--port=${port}`,
      join(await built(), "deno.js"),
    ],
    { env: { ...process.env, ...stack.env }, stdio: "ignore" },
  );
  try {
    const page = () => fetch(`http://127.0.0.1:${port}/hub`);
    await until(() =>
      page().then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const html = await (await page()).text();
    expect(html).toContain("Trending this week");
    const script = /src="(\/assets\/main-[^"]+)"/.exec(html)?.[1];
    const file = await fetch(`http://127.0.0.1:${port}${script}`);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    const picture = await fetch(`http://127.0.0.1:${port}/hub/components/json-tree.png`, {
      redirect: "manual",
    });
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect([picture.status, bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([200, 1200, 630]);
  } finally {
    child.kill();
  }
});
