/** Windows that are the page itself or the one around it. */
export const OWN_WINDOWS = /^_(?:self|top|parent)$/i;
