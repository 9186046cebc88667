import { useEffect, useState } from "preact/hooks";
import { words } from "./problem-words.ts";
import { member, returnPath, supabase, takeNote } from "./session.ts";
import { moveIn } from "./shelf.ts";

/** Signs in or makes an account, moves what a guest kept in this browser into it, and goes back. */
export default function Login() {
  const [isNew, setNew] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [note] = useState(takeNote);
  const back = returnPath(location.search);

  useEffect(() => {
    void member().then((known) => known && location.replace(back));
  }, [back]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const credentials = { email: String(form.get("email")), password: String(form.get("password")) };
    setBusy(true);
    setProblem("");
    try {
      const { auth } = await supabase();
      const { data, error } = isNew
        ? await auth.signUp(credentials)
        : await auth.signInWithPassword(credentials);
      if (error) throw error;
      if (!data.session) {
        setProblem("The account is made. Open the link in the mail that was sent, then sign in.");
        setNew(false);
        return;
      }
      const signedIn = await member();
      if (signedIn) await moveIn(signedIn.hub);
      location.assign(back);
    } catch (error) {
      setProblem(await words(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section class="narrow">
      <h1>{isNew ? "Make an account" : "Sign in"}</h1>
      {note && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      <p class="quiet">
        To publish, star and report, and to have your workspace everywhere. Reading and taking assets home
        need no account.
      </p>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>E-mail</span>
          <input name="email" type="email" required autocomplete="email" />
        </label>
        <label class="field">
          <span>Password</span>
          <input
            name="password"
            type="password"
            required
            minLength={6}
            autocomplete={isNew ? "new-password" : "current-password"}
          />
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p class="row">
          <button class="primary" type="submit" disabled={busy}>
            {isNew ? "Make the account" : "Sign in"}
          </button>
          <button type="button" onClick={() => setNew(!isNew)}>
            {isNew ? "I have an account" : "I am new here"}
          </button>
        </p>
      </form>
    </section>
  );
}
