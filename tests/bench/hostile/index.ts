import { measureCore } from "./core.ts";
import { measureFunctions } from "./http.ts";
import { TARGETS } from "./targets.ts";

/** The number of inputs for each entry, and a text: only entries whose names contain it are measured. */
const INPUTS = Number(process.env.BENCH_INPUTS ?? 2_000);
const WANTED = process.env.BENCH_ENTRY ?? "";

/**
 * Measures the highest cost of any allowed input: in all parts of core that read data which somebody sends or stores, then in four
 * functions over HTTP. The exit code is 1 if a target is missed.
 */
export async function benchHostile(): Promise<void> {
  const rows = [...(await measureCore(INPUTS, WANTED)), ...(await measureFunctions(INPUTS, WANTED))];
  console.table(
    rows.map(({ faults, shape, ...row }) => ({
      ...row,
      met: faults.length === 0,
      shape: shape.slice(0, 60),
    })),
  );
  for (const { faults, ...row } of rows) {
    for (const fault of faults) console.log(`${"entry" in row ? row.entry : row.function}: ${fault}`);
  }
  console.log(
    `Targets: at most ${TARGETS.cpu} s of the processor, ${TARGETS.megabytes} MB, ${TARGETS.doubling} times the time for twice the size, ${TARGETS.delay} s for another caller.`,
  );
  if (rows.length === 0) throw new Error(`there is no entry with ${WANTED} in its name`);
  if (rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
}
