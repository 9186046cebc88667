import type { Format } from "./format.ts";
import { cloudFormats } from "./providers/clouds.ts";
import { codeHostFormats } from "./providers/code-hosts.ts";
import { modelFormats } from "./providers/models.ts";
import { serviceFormats } from "./providers/services.ts";
import { unprefixedFormats } from "./providers/unprefixed.ts";

/** Every format of a secret. A new one is an entry here, and nothing else. */
export const formats: readonly Format[] = [
  ...modelFormats,
  ...cloudFormats,
  ...codeHostFormats,
  ...serviceFormats,
  ...unprefixedFormats,
];
