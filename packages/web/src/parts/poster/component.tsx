const LINES = 7;
const LETTERS = 46;
/** The coloured parts of a line: comments, strings, keywords and tags. */
const COLOURED =
  /(?<comment>\/\/.*$)|(?<text>"[^"]*"|'[^']*'|`[^`]*`)|(?<word>\b(?:export|default|function|const|let|return|import|from|if|else|for|of|new|async|await|class|type|interface)\b)|(?<tag><\/?[A-Za-z][\w.]*|\/?>)/g;
const COLOURS = { comment: "#ffffff99", text: "#c9f5b8", word: "#ffd1e8", tag: "#ffe7a3" } as const;

/** Draws the beginning of the source as an editor shows it. */
export function ComponentPoster({ payload }: { payload: Record<string, unknown> }) {
  const lines = String(payload.source ?? "")
    .slice(0, 4_000)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("import "))
    .flatMap(wrapped)
    .slice(0, LINES);
  return (
    <>
      <rect x="26" y="24" width="428" height="260" rx="12" fill="#000" fill-opacity=".34" />
      {["#ff8a80", "#ffd180", "#b9f6ca"].map((colour, place) => (
        <circle key={colour} cx={46 + place * 18} cy="43" r="5" fill={colour} />
      ))}
      {lines.map((line, row) => (
        <text
          key={`${row} ${line}`}
          x="46"
          y={78 + row * 24}
          font-family="ui-monospace, 'SF Mono', 'Cascadia Mono', 'Noto Sans Mono', Menlo, Consolas, monospace"
          font-size="14"
          fill="#fff"
        >
          {coloured(line)}
        </text>
      ))}
    </>
  );
}

/** Breaks a long line into two, and cuts off the rest. An SVG drops leading spaces, so lines are indented with non-breaking spaces. */
function wrapped(line: string): string[] {
  const inset = Math.min(8, line.length - line.trimStart().length);
  const all = line.trim();
  const cut =
    all.length + inset <= LETTERS ? all.length : Math.max(all.lastIndexOf(" ", LETTERS - inset), 12);
  const blanks = (count: number) => "\u00a0".repeat(count);
  const rest = all.slice(cut).trim();
  return [
    blanks(inset) + all.slice(0, cut),
    ...(rest ? [blanks(inset + 2) + rest.slice(0, LETTERS - inset)] : []),
  ];
}

function coloured(line: string) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(COLOURED)) {
    parts.push(line.slice(end, match.index));
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    parts.push(
      <tspan key={match.index} fill={COLOURS[kind as keyof typeof COLOURS]}>
        {match[0]}
      </tspan>,
    );
    end = match.index + match[0].length;
  }
  return [...parts, line.slice(end)];
}
