import { providerOf } from "../../packages/core/src/rotate/index.ts";
import { pair } from "../support/keys.ts";
import { onDeno } from "../support/service.ts";
import { openBench } from "./fixture.ts";
import { sdkSuite } from "./sdk-suite.ts";

const desk = openBench((db, { origin }) => {
  const upstreams = { openai: origin, anthropic: origin, gemini: origin };
  return onDeno(db, [pair.unsealKey], ["keyhub-gateway"], {
    KEYHUB_UPSTREAMS: JSON.stringify(upstreams),
    KEYHUB_LOOPBACK_UPSTREAMS: "allow",
  });
});

// By the gateway's address alone: the SDKs use their own fetch.
sdkSuite(desk, ({ token }, provider) => ({
  apiKey: token,
  header: providerOf(provider)?.place ?? "",
  base: `${desk.service.url}/functions/v1/keyhub-gateway/${provider}`,
}));
