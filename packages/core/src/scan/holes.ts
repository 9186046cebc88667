/** Characters for private use that stand for the unknown parts of a string. */
export const HOLE = "\ue000";
/** A part that the file decodes or computes from numbers, or that was beyond the budget. */
export const HIDDEN = "\ue001";
/** The origin of the page itself. */
export const OWN_ORIGIN = "\ue002";

export const hasHole = (text: string) => /[\ue000-\ue002]/.test(text);
