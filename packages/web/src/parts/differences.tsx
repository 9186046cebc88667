import type { Difference, DifferencePiece } from "../data/difference.ts";

const CHANGES = { added: "new", removed: "gone", changed: "changed" } as const;

/** The number of unchanged lines that are shown around a change. */
const AROUND = 3;

export function Differences({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <p>The content is the same.</p>;
  return (
    <ul class="differences">
      {differences.map((one, place) => (
        // The key includes the position, because two stages may have the same name.
        <li key={`${place} ${one.name}`}>
          <h3 dir="auto">{one.name}</h3>
          <One difference={one} />
        </li>
      ))}
    </ul>
  );
}

function One({ difference }: { difference: Difference }) {
  switch (difference.kind) {
    case "words":
    case "lines":
      return difference.pieces === null ? (
        <Sides before={difference.before} after={difference.after} />
      ) : (
        <section class="scroll" tabIndex={0} aria-label={`Changes of ${difference.name}`}>
          <pre class={`difference ${difference.kind}`} dir={difference.kind === "words" ? "auto" : "ltr"}>
            {(difference.kind === "lines" ? shortened(difference.pieces) : difference.pieces).map(
              (piece, n) => (
                <Marked key={n} piece={piece} />
              ),
            )}
          </pre>
        </section>
      );
    case "value":
      return <Sides before={difference.before} after={difference.after} />;
    case "item":
      return (
        <>
          <p class="quiet">{CHANGES[difference.change]}</p>
          {difference.differences.length > 0 && <Differences differences={difference.differences} />}
        </>
      );
    default:
      throw new Error(`unknown difference: ${String(difference satisfies never)}`);
  }
}

function Marked({ piece: { text, kind } }: { piece: DifferencePiece }) {
  switch (kind) {
    case "added":
      return <ins>{text}</ins>;
    case "removed":
      return <del>{text}</del>;
    case "same":
      return <>{text}</>;
    default:
      throw new Error(`unknown piece: ${String(kind satisfies never)}`);
  }
}

function Sides({ before, after }: { before: string | null; after: string | null }) {
  return (
    <p class="sides">
      {before !== null && (
        <del>
          <code dir="auto">{before}</code>
        </del>
      )}
      {after !== null && (
        <ins>
          <code dir="auto">{after}</code>
        </ins>
      )}
    </p>
  );
}

/** Replaces the middle of each long unchanged piece by the number of left-out lines. */
function shortened(pieces: readonly DifferencePiece[]): DifferencePiece[] {
  return pieces.map((piece, place): DifferencePiece => {
    if (piece.kind !== "same") return piece;
    const lines = piece.text.split(/(?<=\n)/);
    const head = place === 0 ? 0 : AROUND;
    const tail = place === pieces.length - 1 ? 0 : AROUND;
    if (lines.length <= head + tail + 1) return piece;
    const left = lines.length - head - tail;
    const words = `⋯ ${left} equal ${left === 1 ? "line" : "lines"}\n`;
    return {
      ...piece,
      text: [...lines.slice(0, head), words, ...(tail > 0 ? lines.slice(-tail) : [])].join(""),
    };
  });
}
