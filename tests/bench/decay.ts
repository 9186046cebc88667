import type postgres from "postgres";
import { addPool, keysOf, median, pick, rate, startCluster } from "./cluster.ts";
import { REFERENCE, takeLease } from "./leases.ts";

const KEYS = 1_000;
const CALLERS = 16;
const PARTS = 10;
const TARGET = 0.9;

/** The control: work that leaves no dead data behind. If the control becomes slower, too, the machine is slower and not the pool. */
const CONTROL = `
  create table private.bench_control (id integer primary key, n bigint not null) with (fillfactor = 50);
  insert into private.bench_control select i, 0 from generate_series(1, ${KEYS}) i`;

/** Compares the rate of leases in the last tenth of the time with the rate in the first tenth, beside work that leaves no dead data. */
export async function benchDecay(): Promise<void> {
  const seconds = Number(process.env.BENCH_SECONDS ?? 600);
  const cluster = await startCluster({ max_wal_size: "8GB" });
  try {
    const { sql } = cluster;
    await sql.unsafe(REFERENCE);
    await sql.unsafe(CONTROL);
    const [userId, other] = [await addPool(sql, KEYS), await addPool(sql, KEYS)];
    const keys = await keysOf(sql, other);
    await sql`vacuum analyze`;
    const callers = await cluster.callers(CALLERS);
    const work: Record<string, { share: number; call: (sql: postgres.Sql) => Promise<unknown> }> = {
      leases: {
        share: 0.7,
        call: (own) => takeLease(own, userId),
      },
      reference: {
        share: 0.15,
        call: (own) => own`select public.bench_reference(${pick(keys)}, ${other})`,
      },
      "work that does not age": {
        share: 0.15,
        call: (own) =>
          own`update private.bench_control set n = n + 1 where id = ${1 + Math.floor(Math.random() * KEYS)}`,
      },
    };
    const found = Object.keys(work).map((): number[] => []);
    for (const { call } of Object.values(work)) await rate(callers, 3, call);
    for (let part = 0; part < PARTS; part += 1) {
      // Run short slices in turns, because the machine's speed also changes within a tenth of the time.
      const slices = Math.max(1, Math.round(seconds / PARTS / 6));
      const rates = found.map((): number[] => []);
      for (let slice = 0; slice < slices; slice += 1) {
        for (const [index, { share, call }] of Object.values(work).entries()) {
          rates[index]?.push(await rate(callers, (share * seconds) / PARTS / slices, call));
        }
      }
      for (const [index, values] of rates.entries()) found[index]?.push(median(values));
      process.stderr.write(`decay: part ${part + 1} of ${PARTS}\n`);
    }
    const machine = found.at(-1) ?? [];
    console.table(
      Object.keys(work).map((name, index) => {
        const rates = found[index] ?? [];
        const raw = of(rates, PARTS - 1);
        const corrected = raw / of(machine, PARTS - 1);
        return {
          work: name,
          "first/s": Math.round(rates[0] ?? 0),
          "middle/s": Math.round(rates[PARTS / 2] ?? 0),
          "last/s": Math.round(rates[PARTS - 1] ?? 0),
          "last : first": raw.toFixed(2),
          corrected: corrected.toFixed(2),
          met: corrected >= TARGET,
        };
      }),
    );
    console.log(
      `${CALLERS} callers, ${KEYS} keys, ${seconds} s in ${PARTS} parts; corrected by the work that does not age; target ${TARGET}.`,
    );
  } finally {
    await cluster.stop();
  }
}

function of(rates: number[], part: number): number {
  return (rates[part] ?? 0) / (rates[0] ?? 1);
}
