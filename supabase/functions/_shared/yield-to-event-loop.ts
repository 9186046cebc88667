/**
 * Waiting requests run before this resolves. An isolate has one thread, so that between two long steps of one request all others
 * would wait for both.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
