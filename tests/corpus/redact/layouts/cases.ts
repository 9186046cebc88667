import { randomFrom } from "../generate.ts";
import { type Planted, plant } from "../second-round/cases.ts";
import further from "./further.json" with { type: "json" };
import aside from "./kept-aside.json" with { type: "json" };
import known from "./known.json" with { type: "json" };

/** Layouts: where a credential stands apart from its name, in a call, a command or the file of a tool. */
const LISTS = { known, aside, further };

export function layoutSecrets(list: keyof typeof LISTS, seed = 21): Planted[] {
  const random = randomFrom(seed);
  return LISTS[list].secrets.map((template) => plant(JSON.stringify(template), template, random));
}

export function layoutHarmless(list: keyof typeof LISTS, seed = 22): { name: string; value: unknown }[] {
  const random = randomFrom(seed);
  return LISTS[list].harmless.map((template) => ({
    name: JSON.stringify(template),
    value: plant("", template, random).value,
  }));
}
