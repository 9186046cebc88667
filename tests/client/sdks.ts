import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";

/** A way to the provider: by keyhub.fetch directly to the provider, or through the gateway with an agent token as the key. */
export interface Way {
  apiKey: string;
  base: string;
  fetch?: typeof fetch;
  /** The header for the key, if it differs from the SDK's own. */
  header?: string;
}

/** One SDK as its documentation shows it, with the one line for Keyhub. */
export interface Sdk {
  name: string;
  /** The provider of the keys in the pool. */
  provider: string;
  /** Whether the SDK obeys x-should-retry, and itself sends a request again after a 5xx. */
  retries: boolean;
  /** The header for the key. */
  header: string;
  open(way: Way): Calls;
}

export interface Calls {
  ask(prompt?: string, signal?: AbortSignal): Promise<string>;
  stream(signal?: AbortSignal): Promise<string>;
}

const openai: Sdk = {
  name: "openai",
  provider: "openai",
  retries: true,
  header: "authorization",
  open({ base, apiKey, fetch }) {
    const client = new OpenAI({ apiKey, ...(fetch && { fetch }), baseURL: `${base}/v1` });
    const request = (content: string) => ({ model: "gpt", messages: [{ role: "user" as const, content }] });
    return {
      async ask(prompt = "?", signal) {
        const { choices } = await client.chat.completions.create(request(prompt), { signal });
        return choices[0]?.message.content ?? "";
      },
      async stream(signal) {
        const stream = await client.chat.completions.create({ ...request("?"), stream: true }, { signal });
        let text = "";
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
        return text;
      },
    };
  },
};

const anthropic: Sdk = {
  name: "@anthropic-ai/sdk",
  provider: "anthropic",
  retries: true,
  header: "authorization",
  open({ base, apiKey, fetch }) {
    const client = new Anthropic({ apiKey, ...(fetch && { fetch }), baseURL: base });
    const request = (content: string) => ({
      model: "claude",
      max_tokens: 10,
      messages: [{ role: "user" as const, content }],
    });
    return {
      async ask(prompt = "?", signal) {
        const { content } = await client.messages.create(request(prompt), { signal });
        return content.map((block) => (block.type === "text" ? block.text : "")).join("");
      },
      async stream(signal) {
        const stream = await client.messages.create({ ...request("?"), stream: true }, { signal });
        let text = "";
        for await (const event of stream)
          if (event.type === "content_block_delta" && event.delta.type === "text_delta")
            text += event.delta.text;
        return text;
      },
    };
  },
};

const gemini: Sdk = {
  name: "@google/genai",
  provider: "gemini",
  retries: false,
  header: "x-goog-api-key",
  open({ base, apiKey, fetch }) {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base, ...(fetch && { fetch }) } });
    const request = (contents: string, abortSignal?: AbortSignal) => ({
      model: "gemini-flash",
      contents,
      config: abortSignal === undefined ? {} : { abortSignal },
    });
    return {
      ask: async (prompt = "?", signal) =>
        (await client.models.generateContent(request(prompt, signal))).text ?? "",
      async stream(signal) {
        let text = "";
        for await (const part of await client.models.generateContentStream(request("?", signal)))
          text += part.text ?? "";
        return text;
      },
    };
  },
};

const vercel: Sdk = {
  name: "ai + @ai-sdk/openai",
  provider: "openai",
  retries: false,
  header: "authorization",
  open({ base, apiKey, fetch }) {
    const model = createOpenAI({ apiKey, ...(fetch && { fetch }), baseURL: `${base}/v1` }).chat("gpt");
    return {
      async ask(prompt = "?", abortSignal) {
        return (await generateText({ model, prompt, maxRetries: 0, ...(abortSignal && { abortSignal }) }))
          .text;
      },
      async stream(abortSignal) {
        let failure: { error: unknown } | null = null;
        const { textStream } = streamText({
          model,
          prompt: "?",
          maxRetries: 0,
          ...(abortSignal && { abortSignal }),
          onError: ({ error }) => {
            failure = { error };
          },
        });
        let text = "";
        for await (const part of textStream) text += part;
        // This SDK passes to a callback the errors that the other SDKs throw.
        const told = failure as { error: unknown } | null;
        if (told !== null) throw told.error;
        abortSignal?.throwIfAborted();
        return text;
      },
    };
  },
};

export const SDKS = [openai, anthropic, gemini, vercel];
