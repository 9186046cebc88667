import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { startStack, withDatabase } from "../../packages/local/src/index.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { until } from "../support/until.ts";

const SECRET = `whsec_${Buffer.from("a receiver's secret of thirty bytes").toString("base64")}`;

test("npm start tells the receiver that the last key of a provider died, by its own clock", async () => {
  const told: string[] = [];
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    new Webhook(SECRET).verify(body, request.headers as Record<string, string>);
    told.push(body);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const folder = await mkdtemp(join(tmpdir(), "keyhub-alerts-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  await copyDataFolder(dataDir);
  const { port } = receiver.address() as AddressInfo;
  const stack = await startStack({
    dataDir,
    alertsEvery: 200,
    functionEnv: { KEYHUB_ALERT_URL: `http://127.0.0.1:${port}/`, KEYHUB_ALERT_SECRET: SECRET },
  });
  try {
    const call = (name: string, body: object) =>
      fetch(`${stack.url}/functions/v1/${name}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${stack.env.KEYHUB_AGENT_TOKEN}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(body),
      });
    await withDatabase(
      stack.databaseUrl,
      (sql) => sql`
        update user_api_keys set is_active = false
        where provider = 'gemini' and id <> (select min(id::text)::uuid from user_api_keys where provider = 'gemini')`,
    );
    const { lease_id } = await (await call("get-active-key", { provider: "gemini" })).json();
    const dead = { error_code: 400, error_message: "API key not valid. Please pass a valid API key." };
    await call("set-key-state", { lease_id, status: "fail", ...dead });
    expect((await call("get-active-key", { provider: "gemini" })).status).toBe(503);
    await until(() => told.length >= 2);
    expect(told.map((body) => JSON.parse(body))).toMatchObject([
      { type: "key_disabled", data: { provider: "gemini" } },
      { type: "pool_starved", data: { provider: "gemini" } },
    ]);
  } finally {
    await stack.stop();
    receiver.closeAllConnections();
    receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
});
