/**
 * Lets waiting requests run before it resolves. An isolate has one thread: without this pause between two long steps of one request, all
 * other requests would wait for both steps.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
