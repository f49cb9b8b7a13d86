import { beginningOf } from "@tidings/client/text";

const VISITOR = "$anon:";
/** As many characters of the random id of a visitor tell it apart from the others of a list. */
const SHOWN = 8;

/** The id of a user as people read it: that of a visitor, which is random and long, by its beginning. */
export const shortId = (externalUserId: string): string =>
  externalUserId.startsWith(VISITOR) && externalUserId.length > VISITOR.length + SHOWN
    ? `${beginningOf(externalUserId, VISITOR.length + SHOWN)}…`
    : externalUserId;
