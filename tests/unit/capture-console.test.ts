import { expect, test } from "vitest";
import { captureConsole } from "../../packages/local/src/supabase/capture-console.ts";

test("what is written inside is captured, also after somebody replaced the console's functions", async () => {
  const { error } = console;
  const outside: unknown[] = [];
  const inside: unknown[] = [];
  const work = (word: string) =>
    captureConsole(
      async () => console.error(word),
      ([value]) => void inside.push(value),
    );
  try {
    console.error = (value) => void outside.push(value);
    await work("first");
    console.error = (value) => void outside.push(value);
    await work("second");
    console.error("third");
    expect({ inside, outside }).toEqual({ inside: ["first", "second"], outside: ["third"] });
  } finally {
    console.error = error;
  }
});
