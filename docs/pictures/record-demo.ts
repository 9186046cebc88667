/**
 * `node docs/pictures/record-demo.ts`: runs `npm run demo` against the running stack. From the demo's real frames it makes an animation,
 * demo.svg beside this file. Needs script(1) of util-linux, which gives the demo a terminal of its own.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const SECONDS = 30;
/** The number of frames that are kept of the run, and the seconds for which each is shown; the last one also has the summary. */
const KEPT = 14;
const SHOWN = 0.9;
const LAST_SHOWN = 8;

const COLUMNS = 102;
const CHARACTER = 8;
const LINE = 19;
const MARGIN = 18;
const COLOURS: Record<string, string> = { 32: "green", 33: "yellow", 31: "red", 2: "dim", 1: "bold" };

const ESC = "\u001b";
const MOVES = new RegExp(`${ESC}\\[\\??\\d*[A-Zhl]|\\r`, "g");
const STYLE = new RegExp(`(${ESC}\\[\\d+m)`);

interface Piece {
  text: string;
  at: number;
  style: string;
}

/** Runs the demo, and returns everything that it writes to its terminal. */
function record(): Promise<string> {
  const demo = `stty rows 50 cols ${COLUMNS}; npm run -s demo -- --seconds ${SECONDS}`;
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", demo, "/dev/null"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more) => {
    text += more;
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code) =>
      code === 0 ? resolve(text) : reject(new Error(`the demo ended with ${code}`)),
    );
  });
}

/** Returns the kept frames. The demo writes each whole frame between the codes ?7l and ?7h; the text after the last ?7h is the summary. */
function framesOf(output: string): string[][] {
  const text = output.replaceAll("\r\n", "\n");
  const drawn = text.split(`${ESC}[?7l`).slice(1);
  const frames = drawn.map((part) => linesOf(part.split(`${ESC}[?7h`)[0] ?? ""));
  const summary = linesOf(drawn.at(-1)?.split(`${ESC}[?7h`)[1] ?? "");
  const kept = Array.from(
    { length: KEPT },
    (_, k) => frames[Math.floor((k * (frames.length - 1)) / KEPT)] ?? [],
  );
  return [...kept, [...(frames.at(-1) ?? []), ...summary]];
}

/** Returns the lines of a terminal's output without the codes that move the cursor. The codes of colours stay. */
const linesOf = (text: string): string[] => text.replace(MOVES, "").replace(/\n+$/, "").split("\n");

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let [at, style] = [0, ""];
  for (const part of line.split(STYLE)) {
    const code = STYLE.test(part) ? part.slice(2, -1) : undefined;
    if (code !== undefined) style = COLOURS[code] ?? "";
    else {
      // Text after two or more blanks is a piece with its own position, so columns stay in place in a viewer that collapses blanks.
      for (const { 0: text, index } of part.matchAll(/\S+(?: \S+)*/g))
        pieces.push({ text, at: at + [...part.slice(0, index)].length, style });
      at += [...part].length;
    }
  }
  return pieces;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Draws a piece. `textLength` makes it as wide as the cells of its characters, whatever font the viewer has. */
function drawPiece({ text, at, style }: Piece, y: number): string {
  const width = [...text].length * CHARACTER;
  const kind = style === "" ? "" : ` class="${style}"`;
  return `<text x="${MARGIN + at * CHARACTER}" y="${y}" textLength="${width}"${kind}>${escaped(text)}</text>`;
}

function drawFrame(lines: string[], kind: string, delay: number): string {
  const texts = lines.flatMap((line, row) =>
    piecesOf(line).map((piece) => drawPiece(piece, 62 + row * LINE)),
  );
  return `<g class="${kind}" style="animation-delay:${delay.toFixed(1)}s">${texts.join("")}</g>`;
}

function draw(frames: string[][]): string {
  const height = 62 + Math.max(...frames.map((lines) => lines.length)) * LINE + MARGIN;
  const width = COLUMNS * CHARACTER + 2 * MARGIN;
  const moving = frames.length - 1;
  const length = moving * SHOWN + LAST_SHOWN;
  const share = (seconds: number) => ((seconds / length) * 100).toFixed(2);
  const style = [
    "text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3}",
    ".green{fill:#3fb950}.yellow{fill:#d29922}.red{fill:#f85149}.dim{fill:#8b949e}.bold{font-weight:700}",
    `.frame,.last{animation:frame ${length}s step-end infinite}.frame{visibility:hidden}.last{animation-name:last}`,
    `@keyframes frame{0%{visibility:visible}${share(SHOWN)}%,to{visibility:hidden}}`,
    `@keyframes last{0%{visibility:visible}${share(LAST_SHOWN)}%,to{visibility:hidden}}`,
    "@media(prefers-reduced-motion:reduce){.frame,.last{animation:none}}",
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="npm run demo: eight agents, six keys, a live table of their states, and a summary without a wrong lease">`,
    `<style>${style.join("")}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...["#f85149", "#d29922", "#3fb950"].map(
      (fill, k) => `<circle cx="${22 + 18 * k}" cy="20" r="5.5" fill="${fill}"/>`,
    ),
    `<text class="dim" x="${MARGIN + 66}" y="25">$ npm run demo</text>`,
    // The delays are negative, so that all animations run from the beginning, and no frame is visible before its turn.
    ...frames.map((lines, k) => drawFrame(lines, k === moving ? "last" : "frame", k * SHOWN - length)),
    "</svg>",
    "",
  ].join("\n");
}

const file = fileURLToPath(new URL("demo.svg", import.meta.url));
await writeFile(file, draw(framesOf(await record())));
process.stdout.write(`wrote ${file}\n`);
