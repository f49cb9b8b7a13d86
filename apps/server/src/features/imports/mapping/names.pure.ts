import { withoutSigns } from "../../email/addresses/leaving-names.pure.ts";
import { areAddresses, areMostlyInstants, areObjects, type Samples } from "./samples.pure.ts";

const words = (text: string): readonly string[] => text.split(" ");

/** What columns are called that say the same, the likeliest first; without case, blanks and signs. */
const NAMES = {
  userId: words("externaluserid externalid userid customerid distinctid memberid uid id uuid"),
  email: words("email emailaddress useremail customeremail primaryemail contactemail mail recipient address"),
  firstSeenAt: words(
    "firstseenat firstseen createdat created signupat signupdate signedupat signedup signup registeredat registrationdate registered joinedat datejoined joined dateregistered datecreated creationdate membersince subscribedat optintime firstsession",
  ),
  event: words("eventname event eventtype action activity name type"),
  ts: words(
    "timestamp ts eventtime eventtimestamp occurredat happenedat time datetime eventat eventdate date createdat created receivedat at",
  ),
  eventId: words("eventid messageid insertid idempotencykey uuid id"),
  since: words(
    "suppressedat unsubscribedat optedoutat bouncedat complainedat createdat created addedat date timestamp updatedat",
  ),
} as const;

const OBJECTS = new Set(
  words("traits othertraits attributes customattributes userproperties userattributes"),
);
const EVENT_OBJECTS = new Set(words("props properties eventproperties attributes params parameters"));
const PREFIX = /^(?:traits|attributes|properties|props)\.(?=.)/i;

/** A name of a column without what writers differ in. */
export const plainName = (column: string): string => withoutSigns(column.replace(PREFIX, ""));

/** What a column is called in Tidings: `traits.plan` is the trait `plan`. */
export const nameWithin = (column: string): string => column.replace(PREFIX, "");

/** The columns that have one of the names, the likeliest name first. */
function columnsCalled(columns: readonly string[], names: readonly string[]): string[] {
  const plain = columns.map((column) => ({ column, name: plainName(column) }));
  return names.flatMap((name) => plain.filter((one) => one.name === name).map(({ column }) => column));
}

/** The column of a field by its name, but for those that are taken; undefined where there is none that may be it. */
export function columnOf(
  field: keyof typeof NAMES,
  { format, values }: Samples,
  taken: ReadonlySet<string | undefined>,
): string | undefined {
  // A column without a name cannot be mapped.
  const columns = format.columns.filter((column) => column.trim() !== "");
  const called = columnsCalled(columns, NAMES[field]).filter((column) => !taken.has(column));
  if (field === "userId" || field === "event" || field === "eventId") return called[0];
  if (field !== "email") return called.find((column) => areMostlyInstants(values(column)));
  // A postal address has the same name. Of a list, some may be broken.
  const isAddress = (column: string) =>
    plainName(column).includes("mail") || areAddresses(values(column).slice(0, 1));
  return (
    called.find(isAddress) ?? columns.find((column) => !taken.has(column) && areAddresses(values(column)))
  );
}

/** The first column that has the name of an instant which could not be read. */
export function unreadInstant(
  field: "firstSeenAt" | "ts",
  { format: { columns }, values }: Samples,
): string | undefined {
  return columnsCalled(columns, NAMES[field]).find((column) => values(column).length > 0);
}

/** Whether the keys of a column's objects are what is known of a user, or of an event. */
export function isSpread(column: string, isEvent: boolean, values: readonly unknown[]): boolean {
  const names = isEvent ? EVENT_OBJECTS : OBJECTS;
  return names.has(plainName(column)) && areObjects(values);
}
