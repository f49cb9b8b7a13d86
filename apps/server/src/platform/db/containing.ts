/** A pattern for `like` and `ilike` that finds values which contain the text literally. */
export const containing = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
