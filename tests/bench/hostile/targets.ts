/**
 * The largest cost of any allowed input: processor seconds, megabytes beyond the memory before the work, the factor by which the time grows
 * when the size doubles, and the seconds by which another user's request is delayed.
 */
export const TARGETS = { cpu: 1.0, megabytes: 150, doubling: 2.3, delay: 0.5 } as const;
