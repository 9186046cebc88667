import type { Revenue } from "@keyhub/hub/source";
import { money } from "../../parts/format.ts";

const WIDTH = 720;
const HEIGHT = 160;
const DAY_MS = 86_400_000;
/** The largest number of bars that readers can tell apart; in longer periods a bar is the sum of several days. */
const MOST_BARS = 90;

interface Bar {
  day: string;
  net: number;
}

/** Draws the net amount of each day, in the currency with the highest gross amount. A bar below the line is a day with a loss. */
export function Chart({ earned, from, to }: { earned: Revenue; from: string; to: string }) {
  const currency = mainCurrency(earned);
  const bars = barsOf(
    earned.filter((row) => row.currency === currency),
    from,
    to,
  );
  const top = Math.max(...bars.map(({ net }) => net), 0);
  const bottom = Math.min(...bars.map(({ net }) => net), 0);
  const scale = HEIGHT / Math.max(top - bottom, 1);
  const width = WIDTH / bars.length;
  const total = bars.reduce((sum, { net }) => sum + net, 0);
  const amount = (price_cents: number) => money({ price_cents, currency });
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Net by day: ${amount(total)} in total`}>
        {bars.map(({ day, net }, n) => (
          <rect
            key={day}
            x={n * width + width * 0.1}
            y={(top - Math.max(net, 0)) * scale}
            width={width * 0.8}
            height={Math.abs(net) * scale}
          >
            <title>{`${day}: ${amount(net)}`}</title>
          </rect>
        ))}
        <line x1="0" x2={WIDTH} y1={top * scale} y2={top * scale} />
      </svg>
      <figcaption>
        {from} to {to}: <strong>{amount(total)}</strong> net
      </figcaption>
    </figure>
  );
}

function mainCurrency(earned: Revenue): string {
  const sums = new Map<string, number>();
  for (const { currency, gross_cents } of earned) sums.set(currency, (sums.get(currency) ?? 0) + gross_cents);
  return [...sums].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? "USD";
}

function barsOf(earned: Revenue, from: string, to: string): Bar[] {
  const first = Date.parse(from);
  const days = Math.max(1, Math.round((Date.parse(to) - first) / DAY_MS) + 1);
  const together = Math.ceil(days / MOST_BARS);
  const bars = Array.from({ length: Math.ceil(days / together) }, (_, n) => ({
    day: new Date(first + n * together * DAY_MS).toISOString().slice(0, 10),
    net: 0,
  }));
  for (const { day, net_cents } of earned) {
    const bar = bars[Math.floor((Date.parse(day) - first) / DAY_MS / together)];
    if (bar) bar.net += net_cents;
  }
  return bars;
}
