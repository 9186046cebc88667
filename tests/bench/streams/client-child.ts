/** Opens streams through keyhub.fetch for the bench `streams`. It is a separate process, so that its memory is only the client's. */
import { createKeyhub } from "../../../packages/client/src/index.ts";
import { openStreams, type Round } from "./open.ts";

/** A key service that is as cheap as possible, because its cost is not measured here. */
let leased = 0;
let reported = 0;
const service: typeof fetch = async (input, init) => {
  const url = String(input);
  if (url.endsWith("/get-active-key")) {
    leased += 1;
    const lease = { lease_id: `l${leased}`, key_id: "k", key_name: "n", api_key: "sk-bench", settings: {} };
    return Response.json(lease);
  }
  if (url.endsWith("/set-key-state")) {
    reported += 1;
    return Response.json({ outcome: "success" });
  }
  return fetch(input, init);
};

const [origin = ""] = process.argv.slice(2);
const keyhub = createKeyhub({ url: "http://keyhub.test", token: "t", fetch: service });
const rotating = keyhub.fetch("openai", { hosts: [origin] });

process.on("message", async (round: Round) => {
  await openStreams(round, rotating, origin, "keyhub");
  await keyhub.flush();
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, heap: heapUsed + arrayBuffers, unreported: leased - reported });
});
