const ESC = "\u001b[";

/**
 * Returns a screen that shows frames: a terminal redraws them in place, any other stream gets one frame after another. `interval` is the
 * suitable time between frames in milliseconds. `close` leaves the last frame and shows the cursor again.
 */
export function openScreen(stream: NodeJS.WriteStream, variables = process.env) {
  if (!stream.isTTY || variables.TERM === "dumb") {
    const draw = (lines: string[]) => void stream.write(`${lines.join("\n")}\n\n`);
    return { interval: 4_000, coloured: false, draw, close: () => {} };
  }
  let height = 0;
  let open = true;
  const close = () => {
    if (open) stream.write(`${ESC}?25h`);
    open = false;
  };
  // Show the cursor again even when the process ends early.
  process.once("exit", close);
  stream.write(`${ESC}?25l`);
  const draw = (lines: string[]) => {
    // Lines that do not fit the terminal would scroll away and could not be redrawn.
    const shown = lines.slice(0, Math.max(1, stream.rows - 1));
    const up = height > 0 ? `${ESC}${height}A` : "";
    // Without line wrap the terminal cuts a long line, so each line stays one line. A line is cleared only when it is rewritten, so that
    // nothing flickers.
    const text = shown.map((line) => `${line}${ESC}K\n`).join("");
    stream.write(`${ESC}?7l${up}\r${text}${ESC}J${ESC}?7h`);
    height = shown.length;
  };
  return { interval: 500, coloured: !variables.NO_COLOR, draw, close };
}

export type Screen = ReturnType<typeof openScreen>;
