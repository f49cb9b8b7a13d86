import type { ImportKind, ImportOptions, Preset, StopRule } from "../schema.ts";

/** What a trait or property is called whose column is an object: each key of it stands beside the others, under its own name. */
export const EACH_KEY = "*";

/** What a tool writes into a file of one kind. Of the columns of a field, the first that the file has is the one that is meant. */
export type FileShape = {
  /** `tidings`: a list that was taken out of Tidings. */
  writer: Preset | "tidings";
  kinds: readonly ImportKind[];
  /** The file has a column of each of these lists. */
  recognizedBy: readonly (readonly string[])[];
  /** Which user a line is about; `column` takes `userId`. */
  id: NonNullable<ImportOptions["id"]>;
  userId?: readonly string[];
  email?: readonly string[];
  firstSeenAt?: readonly string[];
  event?: readonly string[];
  ts?: readonly string[];
  eventId?: readonly string[];
  /** Objects whose keys become traits, or properties of an event. */
  spread?: readonly string[];
  /** Of an event: objects whose keys become traits of its user. */
  userTraits?: readonly string[];
  /** Lists that the tool writes in a form of its own. */
  lists?: readonly string[];
  /** What columns are called in Tidings, where that differs. */
  renamed?: Readonly<Record<string, string>>;
  /** Columns that come along, where that is not every column that is left. */
  only?: readonly string[];
  /** Columns that do not come along; `a_*` is each that begins so. */
  leftOut: readonly string[];
  suppressed: readonly StopRule[];
  /** Whether a file with a column of `suppressed` names all who get no mail. */
  knowsStops: boolean;
  /** What people have to know of such a file. */
  warning?: string;
  line?: LineHabits;
};

/** What the reader of a line has to know of a tool, which a mapping cannot say. */
export type LineHabits = {
  /** Each line is a call that a library of Segment sent, which says by itself what it means: no column can mean something else. */
  isCall?: true;
  /** A line without an id is about the user who has its address for an id. */
  elseEmail?: true;
  /** The address is one only in lines where this column is this text. */
  emailIf?: { column: string; is: string };
  /** Lines that are passed over: where a column says yes. */
  skips?: { column: string; text: string };
  /** Events of the tool itself, but for those named, are passed over. */
  ownEvents?: { prefix: string; but: readonly string[] };
  /** Keys of its own that a tool puts beside those of the customer. */
  ownKeys?: { prefix: string; but: readonly string[]; and: readonly string[] };
};
