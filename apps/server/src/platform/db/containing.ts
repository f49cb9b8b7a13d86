/** A pattern for `like` and `ilike` that finds whatever contains the text, taken literally. */
export const containing = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
