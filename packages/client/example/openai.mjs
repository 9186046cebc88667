// An OpenAI script with one changed line. Run it while `npm start` runs:
//   npm run build --workspace @keyhub/client
//   npx node --env-file=.env.local packages/client/example/openai.mjs
// It starts its own provider on loopback, so it needs no account; this provider refuses the first call with 429.
import { createServer } from "node:http";
import { createKeyhub } from "@keyhub/client";
import OpenAI from "openai";

const provider = await startProvider();
const keyhub = createKeyhub({
  onEvent: (event) => console.log(event.type, event.keyName ?? "", event.outcome ?? ""),
});

const openai = new OpenAI({
  baseURL: `${provider.origin}/v1`,
  apiKey: "keyhub",
  fetch: keyhub.fetch("openai", { hosts: [provider.origin] }), // the changed line; OpenAI's real hosts need no list
});

try {
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "What is six times seven?" }],
  });
  console.log(choices[0].message.content);
} catch (error) {
  // The SDK only says "Connection error."; the cause says which setting is wrong, or that no key is ready.
  console.error(error.message, error.cause?.message ?? "");
  process.exitCode = 1;
}

await keyhub.flush();
provider.stop();

async function startProvider() {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    calls += 1;
    const limited = calls === 1;
    response.writeHead(limited ? 429 : 200, { "content-type": "application/json" });
    const error = {
      message: "Rate limit reached. Please try again in 2s.",
      type: "requests",
      code: "rate_limit_exceeded",
    };
    const message = { role: "assistant", content: "forty-two" };
    response.end(
      JSON.stringify(limited ? { error } : { choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
