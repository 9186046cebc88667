/**
 * The largest cost of any allowed input: processor seconds, megabytes beyond what was used before, and the growth of the time when the size
 * doubles.
 */
export const TARGETS = { cpu: 1.0, megabytes: 150, doubling: 2.3, delay: 0.5 } as const;
