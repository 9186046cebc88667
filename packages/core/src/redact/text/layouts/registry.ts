import { assignment, block, called, describedOption, option, row } from "./code.ts";
import type { Layout } from "./layout.ts";
import { cell, element, elements } from "./markup.ts";
import { before, below, loneKey, sentence } from "./prose.ts";

/** All layouts, in the order in which they are tried after a name. */
export const LAYOUTS: readonly Layout[] = [
  loneKey,
  element,
  elements,
  row,
  block,
  assignment,
  describedOption,
  called,
  option,
  cell,
  below,
  before,
  sentence,
];
