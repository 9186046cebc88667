import type { Format } from "./format.ts";
import { extraOf, presetOf } from "./preset.ts";
import { firstText, record } from "./values.ts";

/** Members that `extra` leaves out: settings of the user's own server and proxy, and settings for which a preset has a field. */
const LEFT_OUT = new Set([
  ...[
    "reverse_proxy",
    "proxy_password",
    "custom_url",
    "custom_include_headers",
    "custom_include_body",
    "custom_exclude_body",
  ],
  ...["temp", "temperature", "top_p", "top_k", "openai_max_tokens", "max_length", "genamt", "openai_model"],
]);

/** Members that only SillyTavern presets have, one set for each kind of preset. A preset has at least two members of one set. */
const SIGNS: readonly (readonly string[])[] = [
  [
    "openai_max_context",
    "openai_max_tokens",
    "prompt_order",
    "chat_completion_source",
    "impersonation_prompt",
    "nsfw_prompt",
    "openai_model",
    "wi_format",
  ],
  [
    "rep_pen",
    "rep_pen_range",
    "rep_pen_size",
    "temp",
    "typical",
    "typical_p",
    "tfs",
    "sampler_order",
    "sampler_priority",
    "no_repeat_ngram_size",
  ],
  ["input_sequence", "output_sequence", "system_sequence", "stop_sequence", "wrap", "activation_regex"],
  ["story_string", "chat_start", "example_separator", "use_stop_strings", "trim_sentences"],
  [
    "tail_free_sampling",
    "repetition_penalty",
    "repetition_penalty_range",
    "repetition_penalty_slope",
    "phrase_rep_pen",
    "math1_temp",
    "mirostat_lr",
  ],
];

/** Reads SillyTavern's own presets for OpenAI, text generation, Kobold and NovelAI, and its templates for instructions and context. */
export const sillytavernPreset: Format = {
  id: "sillytavern-preset",
  name: "SillyTavern preset",
  assetType: "ai_preset",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => {
    const preset = record(value);
    return SIGNS.some((signs) => signs.filter((name) => Object.hasOwn(preset, name)).length >= 2);
  },
  read: ({ value, filename }) => {
    const preset = record(value);
    return [
      {
        title: firstText(preset.name, filename),
        payload: presetOf({
          model: firstText(...MODELS.map((name) => preset[name])),
          temperature: preset.temperature ?? preset.temp,
          topP: preset.top_p,
          topK: preset.top_k,
          maxOutputTokens: preset.openai_max_tokens ?? preset.max_length ?? preset.genamt,
          extra: extraOf(preset, LEFT_OUT),
        }),
      },
    ];
  },
  private: ["reverse_proxy", "proxy_password", "custom_url", "custom_include_headers", "custom_include_body"],
  requires: (value) => {
    const name = firstText(...MODELS.map((member) => record(value)[member]));
    return name ? [{ kind: "model", name }] : [];
  },
};

const MODELS = ["openai_model", "claude_model", "google_model", "openrouter_model", "custom_model"];
