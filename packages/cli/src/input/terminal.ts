import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/**
 * Reads lines that a person types or pastes, until Ctrl-D; `what` names them in the prompt. They are never shown: readline puts the
 * terminal into raw mode, which switches its echo off, and readline's own output is discarded. Ctrl-C ends the process with exit code 130.
 */
export async function readTerminal(
  input: NodeJS.ReadStream,
  what: string,
  tell: (text: string) => void,
): Promise<Buffer> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines: string[] = [];
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  tell(`Paste or type ${what} (not shown); end with Ctrl-D.\n`);
  await new Promise<void>((resolve) => {
    reader.on("line", (line) => {
      lines.push(line);
      tell(line.trim() === "" ? "(empty line)\n" : `line ${lines.length} read\n`);
    });
    reader.once("SIGINT", () => {
      reader.close();
      tell("Stopped; nothing was sealed.\n");
      process.exit(130);
    });
    reader.once("close", resolve);
  });
  return Buffer.from(lines.join("\n"));
}
