import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSupabase } from "../../packages/local/src/index.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

let database: Clone;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.sql`create table public.diary (id int)`;
});
afterAll(() => database?.drop());

/** Opens a proxy to the database. `cut(n)` closes open connections, and later each new one after n messages of its client. */
async function startWire(port: number) {
  const open = new Set<Socket>();
  let messages = Number.POSITIVE_INFINITY;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let left = messages;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      left -= 1;
      if (left < 0) client.resetAndDestroy();
      else upstream.write(data);
    });
    upstream.on("data", (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(after: number) {
      messages = after;
      for (const socket of open) socket.destroy();
    },
    mend() {
      messages = Number.POSITIVE_INFINITY;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

test("a connection that is lost at any message of its start: 503, no error without a handler, served again after", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const url = new URL(database.url);
  const wire = await startWire(Number(url.port));
  url.port = String(wire.port);
  const supabase = createSupabase({
    databaseUrl: url.href,
    publishableKey: "sb_publishable_test",
    secretKey: "sb_secret_test",
    jwtSecret: "a test's secret of at least 32 characters",
  });
  const ask = async () => {
    const headers = { apikey: "sb_secret_test" };
    return (await supabase.fetch(new Request("http://127.0.0.1/rest/v1/diary?select=id", { headers })))
      .status;
  };
  try {
    await until(async () => (await ask()) === 200);
    // The connection is cut after this number of messages: during the greeting, the password, or the first statements.
    for (const after of [0, 1, 2, 3, 4, 5, 6]) {
      wire.cut(after);
      // The first request uses an open connection that was cut; the next ones make new connections.
      for (let request = 1; request <= 3; request += 1)
        expect(after < 4 ? [503] : [200, 503], `cut after ${after}`).toContain(await ask());
      wire.mend();
      await until(async () => (await ask()) === 200);
    }
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
    wire.cut(0);
    await supabase.stop();
    await wire.close();
  }
});
