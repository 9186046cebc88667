import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../support/cli.ts";

export interface Line {
  name: string;
  points: [x: number, y: number][];
  /** The index of the colour. A solid and a dashed line may share it; in the chart of leases the dashed line is the reference. */
  colour: number;
  dashed?: boolean;
}

interface Chart {
  title: string;
  x: string;
  y: string;
  /** The labels of the horizontal axis, whose scale is logarithmic. */
  ticks: number[];
  lines: Line[];
}

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 64;
const RIGHT = 190;
const TOP = 44;
const BOTTOM = 48;
/** Colours that are readable both on white and on black. */
const COLOURS = ["#2f81f7", "#d9730d", "#2da44e", "#a371f7"];

/** Writes a line chart to docs, readable on light and dark pages. */
export async function writeChart(file: string, chart: Chart): Promise<void> {
  await writeFile(join(repository, "docs", file), draw(chart));
  process.stderr.write(`wrote docs/${file}\n`);
}

function draw({ title, x, y, ticks, lines }: Chart): string {
  const [first, last] = [Math.log(Math.min(...ticks)), Math.log(Math.max(...ticks))];
  const top = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))));
  const right = WIDTH - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const atX = (value: number) =>
    Math.round(LEFT + ((Math.log(value) - first) / (last - first)) * (right - LEFT));
  const atY = (value: number) => Math.round(bottom - (value / top) * (bottom - TOP));
  const rows = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
    "<style>text{font:12px system-ui,sans-serif;fill:#444c56}.title{font-size:15px;font-weight:600}",
    ".grid{stroke:#8884;stroke-width:1}.line{fill:none;stroke-width:2}",
    "@media(prefers-color-scheme:dark){text{fill:#c9d1d9}}</style>",
    `<text class="title" x="${LEFT}" y="22">${title}</text>`,
    ...rows.flatMap((value) => [
      `<path class="grid" d="M${LEFT} ${atY(value)}H${right}"/>`,
      `<text x="${LEFT - 8}" y="${atY(value) + 4}" text-anchor="end">${Number(value.toPrecision(3)).toLocaleString("en")}</text>`,
    ]),
    ...ticks.map(
      (value) =>
        `<text x="${atX(value)}" y="${bottom + 18}" text-anchor="middle">${value.toLocaleString("en")}</text>`,
    ),
    `<text x="${(LEFT + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${x}</text>`,
    `<text x="14" y="${(TOP + bottom) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + bottom) / 2})">${y}</text>`,
    ...lines.flatMap(({ name, points, colour, dashed }, index) => {
      const paint = `stroke="${COLOURS[colour % COLOURS.length]}"${dashed ? ' stroke-dasharray="5 4"' : ""}`;
      const path = points.map(([px, py], i) => `${i === 0 ? "M" : "L"}${atX(px)} ${atY(py)}`).join("");
      const legend = TOP + 8 + index * 20;
      return [
        `<path class="line" ${paint} d="${path}"/>`,
        `<path class="line" ${paint} d="M${right + 16} ${legend}h24"/>`,
        `<text x="${right + 48}" y="${legend + 4}">${name}</text>`,
      ];
    }),
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the least number from `value` on that is 1, 2, 4 or 8 times a power of ten, so that the labels at its quarters are round. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 8, 10].find((step) => step * power >= value) ?? 10);
}
