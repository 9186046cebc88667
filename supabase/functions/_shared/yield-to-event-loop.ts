/**
 * Lets waiting requests run before it resolves. An isolate has one thread: without this, all other requests would wait for two long steps
 * of one request in a row.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
