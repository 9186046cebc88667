import { useLayoutEffect } from "preact/hooks";
import type { ShownFailure } from "./failure-text.ts";

interface Props {
  failure: ShownFailure | null;
  /** Does again what failed. */
  onRetry?: () => void;
}

/** What went wrong, where it went wrong, and a button for another try where waiting helps. With the connection it tries by itself. */
export function FailureNote({ failure, onRetry }: Props) {
  const again = failure?.canWait ? onRetry : undefined;
  // Not useEffect, which runs after the next frame: the connection may be back before.
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
