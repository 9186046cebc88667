const WIDTH = 30;

/** A bar on stderr: how much is done, at which rate, and how long the rest takes. */
export function progressBar(name: string, total: number): (done: number) => void {
  const started = performance.now();
  let shown = 0;
  return (done) => {
    const seconds = (performance.now() - started) / 1000;
    // A line a second, or ten seconds where nobody watches.
    if (done < total && performance.now() - shown < (process.stderr.isTTY ? 1000 : 10_000)) return;
    shown = performance.now();
    const share = total === 0 ? 1 : done / total;
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".");
    const left = share === 0 ? "?" : Math.round(seconds / share - seconds);
    const line = `${name} [${bar}] ${Math.floor(share * 100)} %, ${Math.round(done / seconds)}/s, ${left} s left`;
    process.stderr.write(process.stderr.isTTY ? `\r${line} ${done < total ? "" : "\n"}` : `${line}\n`);
  };
}
