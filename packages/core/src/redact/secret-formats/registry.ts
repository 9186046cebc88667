import type { SecretFormat } from "./format.ts";
import { cloudFormats } from "./providers/clouds.ts";
import { codeHostFormats } from "./providers/code-hosts.ts";
import { modelFormats } from "./providers/models.ts";
import { serviceFormats } from "./providers/services.ts";
import { unprefixedFormats } from "./providers/unprefixed.ts";

/** All formats of secrets. A new format needs only an entry in one of these lists. */
export const formats: readonly SecretFormat[] = [
  ...modelFormats,
  ...cloudFormats,
  ...codeHostFormats,
  ...serviceFormats,
  ...unprefixedFormats,
];
