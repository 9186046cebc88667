import * as z from "zod/mini";

/** What the scan of a component found at one place. */
export const finding = z.strictObject({
  rule: z.string(),
  severity: z.enum(["high", "medium", "low"]),
  line: z.int(),
  column: z.int(),
  excerpt: z.string(),
  path: z.string(),
});

export const scan = z.strictObject({ overridden: z.boolean(), findings: z.array(finding) });
