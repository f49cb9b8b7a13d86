/** What a service calls the fields of a mail, by what a send of this house calls them. */
export type FieldNames = Readonly<Record<string, string>>;

/** Where a mail stands in a batch, and the name of its field: `[3].data`, `Messages[3].data`, `data`. */
const FIELD = /^((?:Messages)?(?:\[\d{1,4}\]\.)?)([a-zA-Z]{1,20})(?=[ .[])/;

/** A refusal of a send, which names its fields, as one of the mail that the caller has sent. */
export const inWordsOf = (names: FieldNames, message: string): string =>
  message.replace(FIELD, (whole, place: string, field: string) => {
    const own = Object.hasOwn(names, field) ? names[field] : undefined;
    return own === undefined ? whole : place + own;
  });

/** The field that a refusal of a send begins with; null where it begins with none. */
export const fieldOf = (message: string): string | null => FIELD.exec(message)?.[2] ?? null;
