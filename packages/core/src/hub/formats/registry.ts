import { comfyui } from "./comfyui.ts";
import { dify } from "./dify.ts";
import { flowise } from "./flowise.ts";
import type { Format } from "./format.ts";
import { langflow } from "./langflow.ts";
import { markdown } from "./markdown.ts";
import { n8n } from "./n8n.ts";
import { openwebuiModel } from "./openwebui-model.ts";
import { promptsCsv } from "./prompts-csv.ts";
import { shadcnItem } from "./shadcn-item.ts";
import { sillytavernPreset } from "./sillytavern-preset.ts";
import { skill } from "./skill.ts";

/** All formats, in the order in which they are tried: the first format that detects a file reads it. */
export const FORMATS: readonly Format[] = [
  n8n,
  langflow,
  flowise,
  comfyui,
  shadcnItem,
  openwebuiModel,
  sillytavernPreset,
  dify,
  promptsCsv,
  skill,
  markdown,
];

export function formatOf(id: unknown, formats: readonly Format[] = FORMATS): Format | null {
  return formats.find((format) => format.id === id) ?? null;
}
