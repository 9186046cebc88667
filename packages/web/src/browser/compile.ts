/** The time in milliseconds after which a compilation is stopped: compiling the source of a stranger may never end. */
const PATIENCE = 10_000;

/** The error for a source that does not compile. */
export class FaultySource extends Error {
  override name = "FaultySource";
}

/** Compiles TypeScript and JSX to a CommonJS module, in a worker, so that a slow compilation does not block the page. */
export function compile(source: string): Promise<string> {
  const worker = new Worker(new URL("./compile-worker.ts", import.meta.url), { type: "module" });
  return new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The source takes too long to compile.")), PATIENCE);
    worker.onmessage = ({ data }: MessageEvent<{ code: string } | { error: string }>) => {
      clearTimeout(timer);
      if ("code" in data) resolve(data.code);
      else reject(new FaultySource(data.error));
    };
    worker.onerror = () => {
      clearTimeout(timer);
      reject(new Error("The compiler could not be loaded."));
    };
    worker.postMessage(source);
  }).finally(() => worker.terminate());
}
