/** Names of the page's own window or of one around it. */
export const OWN_WINDOWS = /^_(?:self|top|parent)$/i;
