import { shownFailureOf } from "../app/failure-text.ts";
import { say } from "./message.ts";

/** Shows a message about a failure, with a button for another try if waiting helps. */
export async function showFailure(error: unknown, again?: () => void): Promise<void> {
  const { text, canWait } = await shownFailureOf(error);
  say(text, ...(canWait && again ? [{ text: "Try again", act: again }] : []));
}
