import type { Tables } from "../platform/db/db.ts";
import type { IdPrefix, IdPrefixes } from "./ids.ts";

/**
 * Where the rows of a table live on a cluster.
 *
 * - a column: spread by `lane`, the first six bits of that key. `userKey`: one row or more per end user (the hot tables); another
 *   column: things with a key of their own
 * - `counter`: spread by the `lane` of the rows that are counted
 * - `reference`: small and written by people, or a rollup; on every server, so that every lane can join it
 * - `local`: on one server only; no statement over lanes needs it
 */
export type TablePlacement =
  | "userKey"
  | "installationKey"
  | "tokenKey"
  | "addressKey"
  | "messageKey"
  | "counter"
  | "reference"
  | "local";

/** What a key identifies. Keys are derived from the project among others, so an import gives every row another key. */
export type TableKeyKind = "user" | "address" | "installation" | "observer" | "slot" | "token";

/**
 * How an export and an import treat the values of a column. `project_id` becomes the new project's, and a column that is not named is
 * copied; a uuid, bytes, JSON or a lane has to be named.
 *
 * - `id`: replaced by another id, which is derived from it, so that it is the same wherever the old id stands
 * - `<kind> key`: the key of the same user, address … in the new project; `lane of <column>`: the lane of such a key, not in the file
 * - `ids within`: JSON or text in which ids of the API, and addresses of the project's own images, are replaced
 * - `slot ids within`: JSON of a device in which the slot of the row is replaced
 * - `bytes`: base64 in the file; `secret`: sealed bytes, in clear in the file, or not there
 * - `fingerprint`: computed from other columns of the row
 * - `order`: a number from a sequence, which continues above it after an import
 * - `numbered anew`: not in the file; rows are numbered in the order of the file
 * - `cleared`: not in the file; begins as in a new project
 * - `opaque`: a uuid by which no row is found; `data`: the customer's own JSON, or a number without meaning elsewhere
 */
export type Treatment =
  | "id"
  | `${TableKeyKind} key`
  | `lane of ${string}`
  | "ids within"
  | "slot ids within"
  | "bytes"
  | "secret"
  | "fingerprint"
  | "order"
  | "numbered anew"
  | "cleared"
  | "opaque"
  | "data";

/** The kind of key in a column that is treated so, or null where it is no key. */
export const kindOfKey = (treatment: Treatment | undefined): TableKeyKind | null =>
  // The text before " key" is a kind: the type of a treatment says so.
  treatment?.endsWith(" key") === true ? (treatment.slice(0, -" key".length) as TableKeyKind) : null;

/** How the rows of a table are exported and imported. In SQL of an export, `t` is the table; in SQL of an import, `i` is the row of the file. */
export type Exported = {
  /** Kinds of keys that its rows define: rows of other tables with such a key come after them. */
  brings?: readonly TableKeyKind[];
  /** The treatment of each column that is not simply copied. */
  columns: Readonly<Record<string, Treatment>>;
  /** Which rows are the project's; by default those with its id. `$1` is that id. */
  where?: string;
  /** Which of the project's rows are written, where not all are. */
  only?: string;
  /** Further fields of a record, from which an import computes columns: SQL by name. */
  beside?: Readonly<Record<string, string>>;
  /** The order of the records, where it matters. */
  orderBy?: string;
  /** How many rows are read at once, for tables with large rows. */
  page?: number;
  /** Columns that an import does not take as they are: SQL by name. */
  set?: Readonly<Record<string, string>>;
  /**
   * Tables of older exports whose rows this one has now, each with its columns that have another name here. The table itself is among
   * them where columns of its own had another name.
   */
  formerly?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** The prefix of the ids of a table, as its room says it in `IdPrefixes`. */
type PrefixOf<Name> = { [Prefix in IdPrefix]: IdPrefixes[Prefix] extends Name ? Prefix : never }[IdPrefix];

/** What a room declares about a table that it owns. `Name` is the table. */
export type Declared<Name extends keyof Tables = keyof Tables> = {
  lies: TablePlacement;
  /**
   * The prefix that its ids have in the API, where they follow from the id of the project, so that an import makes others. Null for such
   * ids that the API never shows.
   */
  ids?: PrefixOf<Name> | null;
  /**
   * Columns that only say when something was, or what people want: nothing waits for them or lasts until them. What becomes of any other
   * instant where it lies far ahead, by a clock that was wrong, is in docs/internals/clocks.md.
   */
  inertTimestamps?: readonly string[];
  /**
   * SQL that finds the rows of a project and its organization, where `project_id` does not, or not alone: `t` is the table, `$1` the
   * project. Null where all rows are the server's own.
   */
  projectRows?: string | null;
  /** Tables that its foreign keys refer to, beside organization and project. */
  refersTo?: readonly (keyof Tables)[];
} & (
  | { exported: Exported }
  /** Not in the file: an import counts the rows again from other tables. */
  | { recounted: string }
  /** No export contains it, and why. */
  | { leftOut: string }
);

/** The rows of the organization of a project, in SQL as `projectRows` has it. */
export const ORGANIZATION_ROWS = "t.organization_id = (select organization_id from projects where id = $1)";

/** The tables of a room, whose stores alone write them. */
export type RoomTables = { readonly [Name in keyof Tables]?: Declared<Name> };

/** The treatment of columns that identify a user, a delivery, and one device of a push. */
export const USER_KEY = { user_key: "user key", lane: "lane of user_key" } as const;
export const DELIVERY_KEY = { ...USER_KEY, campaign_id: "id" } as const;
export const SLOT_KEY = { ...USER_KEY, slot_key: "slot key", campaign_id: "id" } as const;

/** How many rows of a table with large rows are read at once. */
export const PAGE_OF_LARGE_ROWS = 20;
