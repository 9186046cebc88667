import { measureCore } from "./core.ts";
import { TARGETS } from "./targets.ts";

/** So many inputs for each entry. */
const INPUTS = Number(process.env.BENCH_INPUTS ?? 2_000);

export async function benchHostile(): Promise<void> {
  const rows = await measureCore(INPUTS, process.env.BENCH_ENTRY ?? "");
  console.table(
    rows.map(({ faults, shape, ...row }) => ({
      ...row,
      met: faults.length === 0,
      shape: shape.slice(0, 60),
    })),
  );
  for (const { entry, faults } of rows) for (const fault of faults) console.log(`${entry}: ${fault}`);
  console.log(`Targets: ${JSON.stringify(TARGETS)}.`);
  if (rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
}
