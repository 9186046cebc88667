import { useLayoutEffect } from "preact/hooks";
import type { ShownFailure } from "./failure-text.ts";

interface Props {
  failure: ShownFailure | null;
  /** Repeats the action that failed. */
  onRetry?: () => void;
}

/**
 * Shows a failure inside the page, with a button to try again if waiting helps. The action is repeated when the browser is online again.
 */
export function FailureNote({ failure, onRetry }: Props) {
  const again = failure?.canWait ? onRetry : undefined;
  // useLayoutEffect adds the listener at once. useEffect would add it after the next frame, when the connection may already be back.
  useLayoutEffect(() => {
    if (!again) return;
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [again]);
  if (!failure) return null;
  return (
    <div class="problem" role="alert" data-offline={navigator.onLine ? undefined : ""}>
      <p dir="auto">{failure.text}</p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
