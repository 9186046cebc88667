import { expect, test } from "vitest";
import { upstreamEnvironment } from "../../packages/local/src/settings/environment.ts";

test("npm start passes the operator's settings of the gateway on, beside the demo's provider", () => {
  const env = { KEYHUB_UPSTREAMS: '{"mine": "http://127.0.0.1:9"}', KEYHUB_FIRST_BYTE_SECONDS: "20" };
  const passed = upstreamEnvironment(7, env);
  expect(Object.keys(JSON.parse(passed.KEYHUB_UPSTREAMS ?? ""))).toEqual([
    "openai-demo",
    "anthropic-demo",
    "gemini-demo",
    "mine",
  ]);
  expect(passed.KEYHUB_FIRST_BYTE_SECONDS).toBe("20");
  expect(upstreamEnvironment(7, {})).not.toHaveProperty("KEYHUB_FIRST_BYTE_SECONDS");
});
