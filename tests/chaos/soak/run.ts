/**
 * `npm run test:soak`: runs the tests that take too long for `npm test`. `-- mixed`, `-- races`, `-- kills`, `-- models`, `-- agents`, `--
 * discovery` or `-- long` runs one of them; SOAK_SECONDS (5 to 60) sets the seconds of mixed, races and discovery. It prints its findings
 * and exits with 1 when a rule was broken.
 */
import { soakAgents } from "./agents.ts";
import { soakDiscovery } from "./discovery.ts";
import { soakKills } from "./kills.ts";
import { soakLong } from "./long.ts";
import { soakMixed } from "./mixed.ts";
import { soakModels } from "./models.ts";
import { soakRaces } from "./races.ts";

const soaks: Record<string, () => Promise<string[]>> = {
  mixed: soakMixed,
  races: soakRaces,
  kills: soakKills,
  models: soakModels,
  agents: soakAgents,
  discovery: soakDiscovery,
  long: soakLong,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in soaks));
if (unknown.length > 0) {
  console.error(`there is no such soak; there are: ${Object.keys(soaks).join(", ")}`);
  process.exitCode = 1;
} else {
  const broken: string[] = [];
  for (const name of wanted.length > 0 ? wanted : Object.keys(soaks)) {
    const found = (await soaks[name]?.()) ?? [];
    console.log(
      `${name}: ${found.length === 0 ? "every promise was kept" : `${found.length} broken promises`}`,
    );
    for (const line of found.slice(0, 20)) console.log(`  ${line}`);
    broken.push(...found);
  }
  process.exitCode = broken.length === 0 ? 0 : 1;
}
