/**
 * `npm run bench -- keys growth` runs the named benches; without a name it runs all. docs/benchmarks/method.md describes each bench.
 */
import { benchAccounts } from "./accounts.ts";
import { benchAnswers } from "./answers.ts";
import { benchBloat } from "./bloat.ts";
import { benchClient } from "./client.ts";
import { benchRedactCorpus } from "./corpus/redact.ts";
import { reportScan } from "./corpus/scan.ts";
import { benchDecay } from "./decay.ts";
import { benchDiscovery } from "./discovery/index.ts";
import { benchFormats } from "./formats.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth.ts";
import { benchHostile } from "./hostile/index.ts";
import { benchHub } from "./hub.ts";
import { benchImport } from "./import.ts";
import { endWithChildren } from "./interrupt.ts";
import { benchLeases } from "./leases.ts";
import { benchLighthouse } from "./lighthouse.ts";
import { benchLoad } from "./load.ts";
import { benchLog } from "./log.ts";
import { benchProfile } from "./profile.ts";
import { benchQuestions } from "./questions.ts";
import { benchRedact } from "./redact.ts";
import { benchReports } from "./reports.ts";
import { benchRetention } from "./retention.ts";
import { benchScan } from "./scan.ts";
import { benchScroll } from "./scroll.ts";
import { benchSearchQuality } from "./search-quality.ts";
import { benchShelf } from "./shelf.ts";
import { benchStreams } from "./streams/index.ts";
import { benchWeb } from "./web.ts";

const benches: Record<string, () => Promise<unknown>> = {
  keys: benchLeases,
  reports: benchReports,
  accounts: benchAccounts,
  answers: benchAnswers,
  growth: benchGrowth,
  log: benchLog,
  questions: benchQuestions,
  bloat: benchBloat,
  decay: benchDecay,
  retention: benchRetention,
  profile: benchProfile,
  load: benchLoad,
  hub: benchHub,
  import: benchImport,
  formats: benchFormats,
  redact: benchRedact,
  scan: benchScan,
  discovery: benchDiscovery,
  "search-quality": benchSearchQuality,
  corpus: async () => {
    await benchRedactCorpus();
    await reportScan();
  },
  client: benchClient,
  gateway: benchGateway,
  streams: benchStreams,
  hostile: benchHostile,
  web: benchWeb,
  lighthouse: benchLighthouse,
  scroll: benchScroll,
  shelf: benchShelf,
  functions: () => import("./functions.ts"),
};

const wanted = process.argv.slice(2);
// `--assets` is an option of the bench `discovery`: `discovery --assets 10000,1000000`.
const assets = wanted.indexOf("--assets");
if (assets !== -1) process.env.BENCH_ASSETS = wanted.splice(assets, 2)[1];
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`there is no such bench; the benches are: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 1;
} else {
  endWithChildren();
  for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
    process.stderr.write(`bench ${name}\n`);
    await benches[name]?.();
  }
}
