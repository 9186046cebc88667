import { say } from "../../browser/message.ts";

/** Says where the source of a component does not compile. It is saved in any case: somebody may stop in the middle of a line. */
export async function sayFault(source: string): Promise<void> {
  const { compile, FaultySource } = await import("../../browser/compile.ts");
  try {
    await compile(source);
  } catch (error) {
    if (error instanceof FaultySource) say(`This source does not compile: ${error.message}`);
  }
}
