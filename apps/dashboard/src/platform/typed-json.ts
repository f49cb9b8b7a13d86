/**
 * The value of JSON that a person has typed or pasted. The blanks around it may be any: pasted text begins with a byte order mark, or with
 * blanks that JSON does not know. @throws SyntaxError
 */
export const parseTypedJson = (text: string): unknown => JSON.parse(text.trim());
