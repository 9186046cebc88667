const WIDTH = 30;

/** Shows a bar on stderr: the share that is done, the rate, and the remaining time. */
export function progressBar(name: string, total: number): (done: number) => void {
  const started = performance.now();
  let shown = 0;
  return (done) => {
    const seconds = (performance.now() - started) / 1000;
    // Print a line every second, or every ten seconds if stderr is not a terminal.
    if (done < total && performance.now() - shown < (process.stderr.isTTY ? 1000 : 10_000)) return;
    shown = performance.now();
    const share = total === 0 ? 1 : done / total;
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".");
    const left = share === 0 ? "?" : Math.round(seconds / share - seconds);
    const line = `${name} [${bar}] ${Math.floor(share * 100)} %, ${Math.round(done / seconds)}/s, ${left} s left`;
    process.stderr.write(process.stderr.isTTY ? `\r${line} ${done < total ? "" : "\n"}` : `${line}\n`);
  };
}
