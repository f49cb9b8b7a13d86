/** Fields of a header, by name in lower case; of several with one name, the first. */
export type HeaderFields = ReadonlyMap<string, string>;

const EMPTY_LINES = /\r?\n(?:[ \t]*\r?\n)+/;

function readBlock(block: string): HeaderFields {
  const fields = new Map<string, string>();
  for (const line of block.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !fields.has(key)) fields.set(key, (value ?? "").trim());
  }
  return fields;
}

/** The blocks of fields in a text, separated by empty lines; folded lines are joined (RFC 5322, 2.2.3). */
export const readBlocks = (text: string): HeaderFields[] =>
  text.trimStart().split(EMPTY_LINES).map(readBlock);

/** The fields of the header that a text begins with. */
export const readHeader = (text: string): HeaderFields =>
  readBlock(text.trimStart().split(EMPTY_LINES, 1)[0] ?? "");

/** The identifiers in a field of a header (`<left@right>`), without brackets, in their order. */
export const idsIn = (fields: HeaderFields, name: string): string[] =>
  [...(fields.get(name) ?? "").matchAll(/<([^<>\s]+)>/g)].map(([, id = ""]) => id);

/** The Message-ID of a header, without brackets; null where it has none. */
export const messageIdOf = (fields: HeaderFields): string | null =>
  /^<([^<>\s]+)>/.exec(fields.get("message-id") ?? "")?.[1] ?? null;
