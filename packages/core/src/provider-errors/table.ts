import { GENERAL } from "./general.ts";
import { IN_BETWEEN } from "./in-between.ts";
import { OF_PROVIDERS } from "./of-providers.ts";
import type { AnswerEntry } from "./types.ts";

/** What few answers say. */
export const RARE: readonly AnswerEntry[] = [...OF_PROVIDERS, ...IN_BETWEEN];

/** The table, in order: the first entry that an answer matches is its meaning. */
export const ENTRIES: readonly AnswerEntry[] = [...RARE, ...GENERAL];
