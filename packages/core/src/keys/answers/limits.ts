/** An error's body states the error near its beginning; the rest of a page or of a repeated request is not read. */
export const READ_CHARACTERS = 32_768;
