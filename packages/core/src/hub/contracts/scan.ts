import * as z from "zod/mini";

/** One finding of the component scan. */
export const finding = z.strictObject({
  rule: z.string(),
  severity: z.enum(["high", "medium", "low"]),
  line: z.int(),
  column: z.int(),
  excerpt: z.string(),
  path: z.string(),
});

export const scan = z.strictObject({ overridden: z.boolean(), findings: z.array(finding) });
