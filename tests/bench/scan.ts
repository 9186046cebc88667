import { scanComponent } from "../../packages/core/src/scan/index.ts";
import { parseSource } from "../../packages/core/src/scan/parse.ts";
import { longComponent, SHAPES } from "../unit/scan/components.ts";

const SIZE = 512_000;
const ROUNDS = 25;

/**
 * Measures the scan of a component of 512 KB beside only parsing it, in turns in one process. It reports medians of 25 rounds, after five
 * rounds to warm up. Then it measures each hostile shape at a quarter of this size and at this size.
 */
export async function benchScan(): Promise<{ parse: number; scan: number; ratio: number }> {
  const source = longComponent(SIZE);
  const parses: number[] = [];
  const scans: number[] = [];
  for (let round = 0; round < ROUNDS + 5; round++) {
    const parse = time(() => parseSource(source));
    const scan = time(() => scanComponent(source));
    if (round < 5) continue;
    parses.push(parse);
    scans.push(scan);
  }
  const [parse, scan] = [median(parses), median(scans)];
  const ratio = scan / parse;
  console.log(
    `scan of ${(source.length / 1024).toFixed(0)} KB: ${scan.toFixed(1)} ms, its parse ${parse.toFixed(1)} ms, ${ratio.toFixed(2)} times`,
  );

  console.log("\nshape                             128 KB    512 KB");
  for (const [name, make] of Object.entries(SHAPES)) {
    const [small, large] = [SIZE / 4, SIZE].map((size) => time(() => scanComponent(sized(make, size))));
    console.log(`${name.padEnd(32)}${cell(small)} ${cell(large)}`);
  }
  return { parse, scan, ratio };
}

/** Returns a source of a shape with at most `length` characters, and not many fewer. */
export function sized(make: (n: number) => string, length: number): string {
  const each = make(1000).length / 1000;
  let n = Math.floor(length / each);
  while (make(n).length > length) n = Math.floor(n * 0.95);
  return make(n);
}

function time(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const cell = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`.padStart(9);
