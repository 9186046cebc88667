import { GENERAL } from "./general.ts";
import { IN_BETWEEN } from "./in-between.ts";
import { OF_PROVIDERS } from "./of-providers.ts";
import type { AnswerEntry } from "./types.ts";

/** Entries that few answers match. */
export const RARE: readonly AnswerEntry[] = [...OF_PROVIDERS, ...IN_BETWEEN];

/** The whole table in order: the first entry that an answer matches decides its meaning. */
export const ENTRIES: readonly AnswerEntry[] = [...RARE, ...GENERAL];
