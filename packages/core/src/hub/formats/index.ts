export type { ForeignFile, ForeignItem, Format, Requirement, Syntax } from "./format.ts";
export { FILE_ITEMS, type ReadFile, readForeign, rederive, withoutDerived } from "./read.ts";
export { emptyPrivate } from "./redact.ts";
export { FORMATS, formatOf } from "./registry.ts";
export { requirementsOf, writableFormats, writeForeign } from "./write.ts";
