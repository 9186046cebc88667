/** What any allowed input may take: processor seconds, megabytes beyond what there was before, and, of the time, how often it may double when the size does. */
export const TARGETS = { cpu: 1.0, megabytes: 150, doubling: 2.3, delay: 0.5 } as const;
