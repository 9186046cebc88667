/** Where frames are shown: redrawn in place on a terminal, printed one after another elsewhere. */
export interface Screen {
  /** Milliseconds between frames that make sense here. */
  interval: number;
  coloured: boolean;
  draw(lines: string[]): void;
  /** Leaves the last frame where it is and gives the cursor back. */
  close(): void;
}

export function openScreen(stream: NodeJS.WriteStream, variables = process.env): Screen {
  return stream.isTTY && variables.TERM !== "dumb"
    ? openTerminal(stream, !variables.NO_COLOR)
    : openPipe(stream);
}

function openPipe(stream: NodeJS.WriteStream): Screen {
  return {
    interval: 4_000,
    coloured: false,
    draw: (lines) => void stream.write(`${lines.join("\n")}\n\n`),
    close: () => {},
  };
}

const esc = "\u001b[";

function openTerminal(stream: NodeJS.WriteStream, coloured: boolean): Screen {
  let height = 0;
  let open = true;
  const close = () => {
    if (open) stream.write(`${esc}?25h`);
    open = false;
  };
  // Also when the process ends early.
  process.once("exit", close);
  stream.write(`${esc}?25l`);
  return {
    interval: 500,
    coloured,
    draw: (lines) => {
      // Lines that do not fit the terminal would scroll away and could not be redrawn.
      const shown = lines.slice(0, Math.max(1, stream.rows - 1));
      const up = height > 0 ? `${esc}${height}A` : "";
      // Without line wrap a long line is cut, and a line stays a line; each is cleared only as it is rewritten.
      const text = shown.map((line) => `${line}${esc}K\n`).join("");
      stream.write(`${esc}?7l${up}\r${text}${esc}J${esc}?7h`);
      height = shown.length;
    },
    close,
  };
}
