/** Returns a generator of pseudo-random numbers from 0 to 1, which are the same in every run (mulberry32). */
export function numbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns a random index of a list with `most` entries, about by Zipf's law: the second entry occurs about half as often as the first. */
export function zipf(next: () => number, most: number): number {
  return Math.min(most, Math.floor(Math.exp(next() * Math.log(most + 1)))) - 1;
}

/** Returns the id of the i-th row of a kind. */
export function idOf(kind: number, i: number): string {
  const next = numbers(i * 8 + kind);
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(next() * 4294967296)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export const assetId = (i: number) => idOf(0, i);
export const creatorId = (i: number) => idOf(1, i);
export const refId = (i: number) => idOf(2, i);
