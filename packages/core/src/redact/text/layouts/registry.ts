import {
  assignment,
  block,
  called,
  describedOption,
  destructured,
  line,
  option,
  row,
  statement,
  typed,
} from "./code.ts";
import type { Layout } from "./layout.ts";
import { cell, element, elements } from "./markup.ts";
import { below, loneKey, sentence } from "./prose.ts";

/** Every layout, in the order in which they are tried after a name. */
export const LAYOUTS: readonly Layout[] = [
  loneKey,
  element,
  elements,
  row,
  block,
  assignment,
  typed,
  destructured,
  describedOption,
  called,
  option,
  cell,
  statement,
  line,
  below,
  sentence,
];
