import { useCallback, useEffect, useState } from "preact/hooks";
import { shelfPath } from "../../data/addresses.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { guestHub, loginPath } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";

/** The page that the link of an invitation opens. The invitation's token is in the fragment, which browsers do not send to any server. */
export default function Join() {
  const viewer = useViewer();
  const [name, setName] = useState<string | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const [token, setToken] = useState(() => location.hash.slice(1));
  // Pasting another link into the same tab does not load the page again, so the new token is read here.
  useEffect(() => {
    const look = () => setToken(location.hash.slice(1));
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);

  const load = useCallback(async () => {
    setFailure(null);
    setName(null);
    try {
      setName((await guestHub().organizations.invitation(token)).name);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [token]);
  useEffect(() => void load(), [load]);

  async function join(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      const joined = await viewer?.member?.hub.organizations.accept(token);
      // Replace the address, so that the token does not stay in the history.
      if (joined) location.replace(shelfPath(joined.slug));
    } catch (error) {
      setFailure(await shownFailureOf(error));
      setBusy(false);
    }
  }

  return (
    <section class="narrow">
      <h1>
        {name === null ? (
          "Invitation"
        ) : (
          <>
            Join “<bdi>{name}</bdi>”?
          </>
        )}
      </h1>
      <FailureNote failure={failure} onRetry={name === null ? load : join} />
      {name === null && !failure && <Skeleton />}
      {name !== null && (
        <p>
          Members see what the organization shares, and share items of their own there. They see your name and
          your role. You can leave at any time.
        </p>
      )}
      {name !== null && viewer && (
        <p class="row">
          {viewer.member ? (
            <button class="primary" type="button" disabled={busy} onClick={() => void join()}>
              Join
            </button>
          ) : (
            <a class="button primary" href={`${loginPath("/workspace/join")}#${token}`}>
              Sign in to join
            </a>
          )}
          <a class="button" href="/workspace/organizations">
            Not now
          </a>
        </p>
      )}
    </section>
  );
}
