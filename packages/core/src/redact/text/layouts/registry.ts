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
import { before, below, loneKey, sentence, words } from "./prose.ts";

/** Every layout, in the order in which they are tried after a name. */
export const LAYOUTS: readonly Layout[] = [
  loneKey,
  words,
  element,
  elements,
  row,
  block,
  destructured,
  assignment,
  typed,
  describedOption,
  called,
  option,
  cell,
  statement,
  line,
  below,
  before,
  sentence,
];
