import { useLayoutEffect } from "preact/hooks";
import type { ShownFailure } from "./failure-text.ts";

interface Props {
  failure: ShownFailure | null;
  /** Repeats the action that failed. */
  onRetry?: () => void;
}

/**
 * Shows a failure in its place, with a button for another try if waiting helps. It tries again by itself when the browser is online again.
 */
export function FailureNote({ failure, onRetry }: Props) {
  const again = failure?.canWait ? onRetry : undefined;
  // useEffect would run after the next frame, and the connection may be back before that.
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
