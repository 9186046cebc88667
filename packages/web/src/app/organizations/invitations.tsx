import type { Hub, Invitations as Made } from "@keyhub/hub/source";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../../browser/copy.ts";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { date } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { type OwnOrganization, ROLE_WORDS } from "./organization.tsx";

interface Props {
  hub: Hub;
  organization: OwnOrganization;
}

/** Makes links that let people join, and lists the invitations. A link is shown only once. */
export function Invitations({ hub, organization: { id, role } }: Props) {
  const [made, setMade] = useState<Made | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [link, setLink] = useState("");
  /** The email address of the only person who can use the link; empty if anybody can use it. */
  const [invited, setInvited] = useState("");
  const [email, setEmail] = useState("");
  const [refused, setRefused] = useState<ShownFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (link) shown.current?.focus();
  }, [link]);

  const load = useCallback(async () => {
    setFailure(null);
    try {
      setMade(await hub.organizations.invitations(id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub, id]);
  useEffect(() => void load(), [load]);

  async function invite(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const typed = new FormData(form);
    setBusy(true);
    setRefused(null);
    try {
      const { token } = await hub.organizations.invite(id, {
        role: typed.get("role") === "admin" ? "admin" : "member",
        email: email.trim() || undefined,
        days: Number(typed.get("days")),
        max_uses: email.trim() ? 1 : Number(typed.get("max_uses")),
      });
      setLink(`${location.origin}/workspace/join#${token}`);
      setInvited(email.trim());
      setEmail("");
      form.reset();
    } catch (error) {
      setRefused(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
    await load();
  }

  async function revoke(invitation: string): Promise<void> {
    if (!confirm("Take this invitation back? Nobody can join by it any more. People who have joined stay."))
      return;
    try {
      await hub.organizations.revokeInvitation(invitation);
      say("The invitation is taken back.");
    } catch (error) {
      await showFailure(error, () => void revoke(invitation));
    }
    await load();
  }

  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invite</h2>
      {link && (
        <div class="warning" role="alert" tabIndex={-1} ref={shown}>
          <p>
            This link is shown only now.{" "}
            {invited
              ? `Only the account of ${invited} can join by it.`
              : "Anybody who has it can join, up to the number of people that you set."}
          </p>
          <p class="row">
            <code class="token">{link}</code>
            <button type="button" onClick={() => void copyText(link, "The link is copied.")}>
              Copy the link
            </button>
            <button type="button" onClick={() => setLink("")}>
              Hide
            </button>
          </p>
        </div>
      )}
      <form class="row invite" onSubmit={invite}>
        <label class="field">
          <span>Role</span>
          <select name="role">
            <option value="member">{ROLE_WORDS.member.name}</option>
            {role === "owner" && <option value="admin">{ROLE_WORDS.admin.name}</option>}
          </select>
        </label>
        <label class="field">
          <span>Only for this e-mail (you can leave it empty)</span>
          <input
            type="email"
            autocomplete="off"
            maxLength={320}
            value={email}
            onInput={({ currentTarget }) => setEmail(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Days (1 to 90)</span>
          <input name="days" type="number" min={1} max={90} defaultValue="7" required />
        </label>
        <label class="field">
          <span>People (1 to 1000)</span>
          <input
            name="max_uses"
            type="number"
            min={1}
            max={1000}
            defaultValue="1"
            required
            disabled={email.trim() !== ""}
          />
        </label>
        <button class="primary" type="submit" disabled={busy}>
          Make a link
        </button>
      </form>
      <FailureNote failure={refused} />
      <FailureNote failure={failure} onRetry={load} />
      {!made && !failure && <Skeleton />}
      {made && made.length > 0 && (
        <ul class="shelf" aria-label="Invitations">
          {made.map((one) => (
            <li key={one.id}>
              <span>
                {ROLE_WORDS[one.role].name} · {one.used} of {one.max_uses} joined
                {one.for_address && " · for one address"}
                <br />
                <span class="quiet">
                  {one.live ? `until ${date(one.expires_at)}` : endOf(one)}
                  {one.invited_by && (
                    <>
                      , made by <bdi>@{one.invited_by}</bdi>
                    </>
                  )}
                </span>
              </span>
              {one.live && (
                <button
                  type="button"
                  aria-label={`Take back the invitation of ${date(one.created_at)}`}
                  onClick={() => void revoke(one.id)}
                >
                  Take back
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Returns the reason why an invitation no longer works. */
function endOf({ used, max_uses, expires_at }: Made[number]): string {
  if (used >= max_uses) return "used up";
  return Date.parse(expires_at) <= Date.now() ? `ended ${date(expires_at)}` : "taken back";
}
