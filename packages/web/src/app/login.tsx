import { useEffect, useState } from "preact/hooks";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { member, returnPath, SHORTEST_PASSWORD, supabase, takeSignInReason } from "./session.ts";
import { moveItemsToAccount } from "./store/store.ts";

const FORMS = {
  known: { title: "Sign in", button: "Sign in" },
  new: { title: "Make an account", button: "Make the account" },
  forgot: { title: "Forgot your password?", button: "Send the mail" },
} as const;
type Form = keyof typeof FORMS;

/** The text is the same for every address, so that nobody learns who has an account here. */
const MAIL_SENT =
  "If this address has an account, a mail is on its way. Its link leads to a page for a new password. No mail after ten minutes? " +
  "Look in your spam folder, then ask again. If no mail comes, this site may not send mails: ask the people who run it.";

/** The codes of refusals that auth sends before it looks for the account. Showing them does not reveal whether the account exists. */
const BEFORE_THE_ACCOUNT = ["validation_failed", "over_request_rate_limit", "captcha_failed"];

/**
 * Lets the user sign in or make an account. Then moves the guest's items from this browser into the account, and returns to the page from
 * which the user came. The page can also request the mail for a new password.
 */
export default function Login() {
  const [form, setForm] = useState<Form>("known");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [note, setNote] = useState(takeSignInReason);
  // An invitation's token is in the fragment, not in `returnTo`, because servers log the query. So the fragment is appended here.
  const back = returnPath(location.search) + location.hash;

  useEffect(() => {
    void member().then((known) => known && location.replace(back));
  }, [back]);

  function show(next: Form): void {
    setForm(next);
    setFailure(null);
    setNote("");
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const typed = new FormData(event.currentTarget as HTMLFormElement);
    const email = String(typed.get("email"));
    setBusy(true);
    setFailure(null);
    try {
      if (form === "forgot") {
        await askForMail(email);
        setNote(MAIL_SENT);
        return;
      }
      const credentials = { email, password: String(typed.get("password")) };
      const { auth } = await supabase();
      const { data, error } =
        form === "new" ? await auth.signUp(credentials) : await auth.signInWithPassword(credentials);
      if (error) throw error;
      if (!data.session) {
        show("known");
        setNote("The account is made. Open the link in the mail that was sent, then sign in.");
        return;
      }
      const signedIn = await member();
      if (signedIn) await moveItemsToAccount(signedIn.hub);
      location.assign(back);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section class="narrow">
      <h1>{FORMS[form].title}</h1>
      {note && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      <p class="quiet">
        {form === "forgot"
          ? "Type the address of your account. You get a mail with a link to a page where you set a new password."
          : "To publish, star and report, and to have your workspace everywhere. You can read and import without an account."}
      </p>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>E-mail</span>
          <input name="email" type="email" required autocomplete="email" />
        </label>
        {form !== "forgot" && (
          <label class="field">
            <span>Password</span>
            <input
              name="password"
              type="password"
              required
              minLength={SHORTEST_PASSWORD}
              autocomplete={form === "new" ? "new-password" : "current-password"}
              aria-describedby={form === "new" ? "password-hint" : undefined}
            />
            {form === "new" && (
              <small class="hint" id="password-hint">
                At least {SHORTEST_PASSWORD} characters.
              </small>
            )}
          </label>
        )}
        <FailureNote failure={failure} />
        <p class="row">
          <button class="primary" type="submit" disabled={busy}>
            {FORMS[form].button}
          </button>
          {form === "known" ? (
            <>
              <button type="button" onClick={() => show("new")}>
                I am new here
              </button>
              <button type="button" onClick={() => show("forgot")}>
                Forgot your password?
              </button>
            </>
          ) : (
            <button type="button" onClick={() => show("known")}>
              {form === "new" ? "I have an account" : "Back to signing in"}
            </button>
          )}
        </p>
      </form>
    </section>
  );
}

async function askForMail(email: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.resetPasswordForEmail(email, {
    redirectTo: `${location.origin}/login/new-password`,
  });
  if (!error) return;
  // Auth sends all other refusals, and a 500 for a mail that could not be sent, only when the account exists. They are not shown, because
  // they would reveal that the account exists.
  const { name, status, code = "" } = error;
  const isUnreachable = name === "AuthRetryableFetchError" && status !== 500;
  if (isUnreachable || BEFORE_THE_ACCOUNT.includes(code)) throw error;
}
