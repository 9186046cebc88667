import { HubError, type Profile, type ProfileChange } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { say } from "../browser/message.ts";
import { creatorPath } from "../data/addresses.ts";
import { FailureNote } from "./failure-note.tsx";
import { PageError, type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { Skeleton } from "./skeleton.tsx";
import { useViewer } from "./use-viewer.ts";
import { ForMembers, WorkspaceNav } from "./workspace-nav.tsx";

const FIELDS = [
  {
    key: "username",
    label: "User name",
    hint: "3 to 30 letters (a to z), digits, _ or -. It is the address of your page: links to the old address stop working.",
    input: { required: true, maxLength: 30, autocomplete: "username", spellcheck: false },
  },
  {
    key: "display_name",
    label: "Shown name",
    hint: "At most 80 characters, in any script. Without it your user name is shown.",
    input: { maxLength: 80, autocomplete: "name", dir: "auto" as const },
  },
  {
    key: "avatar_url",
    label: "Picture",
    hint: "An https address. Without it the first letter of your name is shown.",
    input: { maxLength: 2048, inputMode: "url" as const, placeholder: "https://", spellcheck: false },
  },
] as const;
type Key = (typeof FIELDS)[number]["key"];

/** Lets the caller edit the profile that others see. */
export default function ProfilePage() {
  const viewer = useViewer();
  const [profile, setProfile] = useState<Profile | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const member = viewer?.member;

  const load = useCallback(async () => {
    if (!member) return;
    setFailure(null);
    try {
      setProfile(await member.hub.profile(member.id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [member]);
  useEffect(() => void load(), [load]);

  return (
    <>
      <WorkspaceNav at="profile" />
      {viewer && !member ? (
        <ForMembers title="Your profile" back="/workspace/profile" why="Sign in to change it." />
      ) : (
        <>
          <h1>Profile</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!profile && !failure && <Skeleton />}
          {profile && member && (
            <ProfileForm
              profile={profile}
              save={async (change) => {
                const saved = await member.hub.editProfile(member.id, change);
                if (!saved) throw new PageError("This account was deleted meanwhile.");
                setProfile(saved);
              }}
            />
          )}
        </>
      )}
    </>
  );
}

interface FormProps {
  profile: Profile;
  save: (change: ProfileChange) => Promise<void>;
}

function ProfileForm({ profile, save }: FormProps) {
  const [faults, setFaults] = useState<Partial<Record<Key, string>>>({});
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const typed = new FormData(form);
    const text = (key: Key) => String(typed.get(key)).trim();
    setBusy(true);
    setFaults({});
    setFailure(null);
    try {
      await save({
        username: text("username"),
        display_name: text("display_name") || null,
        avatar_url: text("avatar_url") || null,
      });
      say("Saved. Your page shows it within a minute.");
    } catch (error) {
      const found = faultsOf(error);
      setFaults(found);
      const first = FIELDS.find(({ key }) => found[key]);
      if (first) (form.elements.namedItem(first.key) as HTMLElement | null)?.focus();
      else setFailure(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="stack form" onSubmit={submit} noValidate>
      <p class="quiet">
        Everybody sees this on <a href={creatorPath(profile.username)}>your page</a> and with what you
        publish.
      </p>
      {FIELDS.map(({ key, label, hint, input }) => (
        <div class="field" key={key}>
          <label for={key}>{label}</label>
          <input
            {...input}
            id={key}
            name={key}
            defaultValue={profile[key] ?? ""}
            aria-invalid={faults[key] ? "true" : undefined}
            aria-describedby={faults[key] ? `${key}-fault ${key}-hint` : `${key}-hint`}
          />
          {faults[key] && (
            <p class="fault" id={`${key}-fault`} role="alert">
              {faults[key]}
            </p>
          )}
          <p class="hint" id={`${key}-hint`}>
            {hint}
          </p>
        </div>
      ))}
      <FailureNote failure={failure} />
      <p>
        <button class="primary" type="submit" disabled={busy}>
          Save
        </button>
      </p>
    </form>
  );
}

/** Returns the fault of each field as a sentence; an empty object when the refusal is about something else. */
function faultsOf(error: unknown): Partial<Record<Key, string>> {
  if (!(error instanceof HubError)) return {};
  const { code, title, detail, errors } = error.problem;
  if (code === "display_name_taken") return { display_name: `${title}. ${detail ?? ""}`.trim() };
  if (code === "username_taken") return { username: `${title}. ${detail ?? ""}`.trim() };
  return Object.fromEntries(
    errors
      .filter(({ path }) => FIELDS.some(({ key }) => key === path))
      .map(({ path, message }) => [path, `It ${message}.`]),
  );
}
