import type { Revenue as Earned, Fees } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { assetPath } from "../../data/addresses.ts";
import { money } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import type { SignedIn } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";
import { ForMembers, WorkspaceNav } from "../workspace-nav.tsx";
import { Chart } from "./chart.tsx";
import { csvOf } from "./csv.ts";

const DAY_MS = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Shows the caller's earnings by day and listing from the ledger, as a chart, a table and a file; and the payout account. */
export default function Revenue() {
  const viewer = useViewer();
  const member = viewer?.member ?? null;
  const [to, setTo] = useState(() => dayOf(Date.now()));
  const [from, setFrom] = useState(() => dayOf(Date.now() - 29 * DAY_MS));
  const [earned, setEarned] = useState<Earned | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  const load = useCallback(async () => {
    if (!member) return;
    setFailure(null);
    try {
      setEarned(await member.hub.revenue(from, to));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [member, from, to]);
  useEffect(() => void load(), [load]);

  if (viewer && !member) {
    return (
      <>
        <WorkspaceNav at="revenue" />
        <ForMembers title="Your revenue" back="/workspace/revenue" />
      </>
    );
  }
  return (
    <>
      <WorkspaceNav at="revenue" />
      <h1>Revenue</h1>
      {member && <Account member={member} />}
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>From</span>
          <input
            type="date"
            value={from}
            max={to}
            onInput={({ currentTarget }) => setFrom(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>To</span>
          <input
            type="date"
            value={to}
            min={from}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </label>
      </form>
      <FailureNote failure={failure} onRetry={load} />
      {!earned && !failure && <Skeleton />}
      {earned?.length === 0 && <p class="quiet below">Nothing was sold in these days.</p>}
      {earned && earned.length > 0 && (
        <>
          <Chart earned={earned} from={from} to={to} />
          <p>
            <a
              class="button"
              download={`revenue-${from}-${to}.csv`}
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(earned))}`}
            >
              Download as CSV
            </a>
          </p>
          <Table earned={earned} />
        </>
      )}
      <p class="quiet">
        Days are in UTC. Net is what goes to your payout account: gross, less refunds and the platform’s fee.
        You must declare tax yourself.
      </p>
    </>
  );
}

/** Shows whether the creator's payout account accepts payments, the fees, and a button to set up or open the account. */
function Account({ member: { hub } }: { member: SignedIn }) {
  const [enabled, setEnabled] = useState<boolean | null>(null);
  const [fees, setFees] = useState<Fees | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const ask = useCallback(async () => {
    setFailure(null);
    try {
      const [account, kept] = await Promise.all([hub.payoutAccount("refresh"), hub.fees()]);
      setEnabled(account.charges_enabled);
      setFees(kept);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void ask(), [ask]);

  async function open(): Promise<void> {
    setBusy(true);
    try {
      const { url } = await hub.payoutAccount("open");
      if (url) location.assign(url);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
  }

  if (failure) return <FailureNote failure={failure} onRetry={ask} />;
  if (enabled === null) return <Skeleton />;
  return (
    <section class="note" aria-labelledby="account" data-account-enabled={String(enabled)}>
      <h2 id="account">Payout account</h2>
      <p>
        {enabled
          ? "Your account takes payments: share an item under the license Paid to sell it."
          : "To sell, set up an account with the payment provider. Your share of each sale goes there."}
        {fees &&
          ` The platform keeps ${fees.fee_bps / 100} % of a sale, of verified creators ${fees.verified_fee_bps / 100} %.`}
      </p>
      <p>
        <button class={enabled ? "" : "primary"} type="button" disabled={busy} onClick={() => void open()}>
          {enabled ? "Open the account" : "Set up the account"}
        </button>
      </p>
    </section>
  );
}

function Table({ earned }: { earned: Earned }) {
  return (
    <div class="revenue-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Listing</th>
            <th scope="col">Sales</th>
            <th scope="col">Gross</th>
            <th scope="col">Refunds</th>
            <th scope="col">Fee</th>
            <th scope="col">Net</th>
          </tr>
        </thead>
        <tbody>
          {earned.map((row) => {
            const amount = (price_cents: number) => money({ price_cents, currency: row.currency });
            return (
              <tr key={`${row.day} ${row.asset_id} ${row.currency}`}>
                <td>{row.day}</td>
                <td dir="auto">
                  {row.slug && row.asset_type ? (
                    <a href={assetPath({ slug: row.slug, asset_type: row.asset_type })}>{row.title}</a>
                  ) : (
                    row.title
                  )}
                </td>
                <td>{row.sales}</td>
                <td>{amount(row.gross_cents)}</td>
                <td>{amount(row.refunds_cents)}</td>
                <td>{amount(row.fee_cents)}</td>
                <td>
                  <strong>{amount(row.net_cents)}</strong>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
