import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";
import { ForMembers, WorkspaceNav } from "../workspace-nav.tsx";
import { AddKeys } from "./add-keys.tsx";
import { Agents } from "./agents.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { KeyTable } from "./key-table.tsx";
import { Log } from "./log.tsx";
import { type OwnAgent, type OwnKey, type OwnPool, poolOf } from "./pool.ts";
import { PoolBars } from "./pool-bars.tsx";

/** The time in milliseconds after which a visible page reads the keys again. */
const EVERY_MS = 5_000;

interface Shown {
  keys: OwnKey[];
  pools: OwnPool[];
  agents: OwnAgent[];
}

/** Shows the caller's own keys and agents. */
export default function Keys() {
  const viewer = useViewer();
  const member = viewer?.member ?? null;
  const pool = useMemo(() => member && poolOf(member), [member]);
  const [shown, setShown] = useState<Shown | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  /** Increases each time the keys were read, so that the log is read again, too. */
  const [turn, setTurn] = useState(0);

  const load = useCallback(async () => {
    if (!pool) return;
    try {
      const [keys, pools, agents] = await Promise.all([pool.keys(), pool.pools(), pool.agents()]);
      setShown({ keys, pools, agents });
      setTurn((turn) => turn + 1);
      setFailure(null);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [pool]);

  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void load();
    }, EVERY_MS);
    const look = () => {
      if (document.visibilityState === "visible") void load();
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [load]);

  return (
    <>
      <WorkspaceNav at="keys" />
      {viewer && !member ? (
        <ForMembers
          title="Your keys"
          back="/workspace/keys"
          why="Sign in to keep API keys here and share them among your agents."
        />
      ) : (
        <>
          <h1>Keys</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!shown && !failure && <Skeleton />}
          {shown && member && pool && (
            <>
              {shown.keys.length === 0 ? <FirstSteps /> : <PoolBars pools={shown.pools} />}
              <section aria-labelledby="own-keys">
                <h2 id="own-keys">My keys</h2>
                <KeyTable keys={shown.keys} pool={pool} onChange={load} />
                <AddKeys userId={member.id} pool={pool} onChange={load} />
              </section>
              <Agents agents={shown.agents} pool={pool} onChange={load} />
              {shown.keys.length > 0 && (
                <Log pool={pool} turn={turn} keys={shown.keys} agents={shown.agents} userId={member.id} />
              )}
            </>
          )}
        </>
      )}
    </>
  );
}
