/** An error's body says what it is near its beginning; the rest of a page or of a repeated request is not read. */
export const READ_CHARACTERS = 32_768;
