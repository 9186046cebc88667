/** `npm run bench -- keys` (hand-outs against the reference), `-- growth`, `-- functions`; all without a name. */
import { benchGrowth } from "./growth.ts";
import { benchHandOuts } from "./hand-outs.ts";

const benches: Record<string, () => Promise<unknown>> = {
  keys: benchHandOuts,
  growth: benchGrowth,
  functions: () => import("./functions.ts"),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`there is no such bench; there are: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 1;
} else {
  for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) await benches[name]?.();
}
