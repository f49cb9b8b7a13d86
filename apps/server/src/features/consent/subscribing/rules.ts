/** For how many days the button of a mail that asks to confirm works. */
export const CONFIRM_WITHIN_DAYS = 7;
/** How many such mails an address gets within a day. */
export const MOST_A_DAY = 3;

/** The key of the template of such mails. */
export const CONFIRM_TEMPLATE = "confirm";

/** The names of topics as a sentence has them: `Offers, News and Events`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
