import { useEffect, useState } from "preact/hooks";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { member, SHORTEST_PASSWORD, supabase } from "./session.ts";
import { Skeleton } from "./skeleton.tsx";
import { moveItemsToAccount } from "./store/store.ts";

type Step = "opening" | "no link" | "form" | "done";

/** The page that the link in the mail for a forgotten password opens. The link signs in, and this page sets the new password. */
export default function NewPassword() {
  const [step, setStep] = useState<Step>("opening");
  const [email, setEmail] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  async function open(): Promise<void> {
    try {
      const { auth } = await supabase();
      // Supabase's client reads the session from the address of the link. `initialize` returns the error if that has failed.
      const { error } = await auth.initialize();
      if (error?.name === "AuthRetryableFetchError") throw error;
      const { data } = await auth.getSession();
      setEmail(data.session?.user.email ?? "");
      setStep(error || !data.session ? "no link" : "form");
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }
  useEffect(() => void open(), []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget as HTMLFormElement).get("password"));
    setBusy(true);
    setFailure(null);
    try {
      const { auth } = await supabase();
      const { error } = await auth.updateUser({ password });
      if (error) throw error;
      const signedIn = await member();
      if (signedIn) await moveItemsToAccount(signedIn.hub);
      setStep("done");
    } catch (error) {
      setFailure(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
  }

  if (step === "opening") return failure ? <FailureNote failure={failure} onRetry={reload} /> : <Skeleton />;
  if (step === "no link") {
    return (
      <div class="empty">
        <h1>This link does not work any more</h1>
        <p>A link works once, and only for a while. Ask for a new one with “Forgot your password?”.</p>
        <a class="button primary" href="/login">
          Sign in
        </a>
      </div>
    );
  }
  if (step === "done") {
    return (
      <div class="empty">
        <h1>The new password is set</h1>
        <p role="status">You are signed in.</p>
        <a class="button primary" href="/hub">
          To the hub
        </a>
      </div>
    );
  }
  return (
    <section class="narrow">
      <h1>Set a new password</h1>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>E-mail</span>
          <input type="email" autocomplete="username" value={email} readOnly />
        </label>
        <label class="field">
          <span>New password</span>
          <input
            name="password"
            type="password"
            required
            minLength={SHORTEST_PASSWORD}
            autocomplete="new-password"
            aria-describedby="password-hint"
          />
          <small class="hint" id="password-hint">
            At least {SHORTEST_PASSWORD} characters.
          </small>
        </label>
        <FailureNote failure={failure} />
        <p>
          <button class="primary" type="submit" disabled={busy}>
            Set the password
          </button>
        </p>
      </form>
    </section>
  );
}

/** Loads the page again, because the client reads the address only once. */
const reload = () => location.reload();
