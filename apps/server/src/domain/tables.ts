import type { Tables } from "../platform/db/db.ts";
import type { IdPrefix } from "./ids.ts";

/**
 * Where the rows of a table live on a cluster.
 *
 * - a column: spread by `lane`, the first six bits of that key. `userKey`: a row or more per end user (the hot tables); else a
 *   thing with a key of its own
 * - `counter`: spread by `lane` too, of what is counted
 * - `reference`: small and of people's making, or a rollup; on every machine, so that every lane can join it
 * - `local`: on one machine only; no statement over lanes needs it
 */
export type Place =
  | "userKey"
  | "installationKey"
  | "tokenKey"
  | "addressKey"
  | "messageKey"
  | "counter"
  | "reference"
  | "local";

/** What a key stands for. It follows from the project, so that an import makes another one. */
export type KeyKind = "user" | "address" | "installation" | "observer" | "slot" | "token";

/**
 * What becomes of the values of a column in an export. Those of `project_id` become the new project's, and a column that is not
 * named is carried over as it is; a uuid, bytes, JSON or a lane has to be named.
 *
 * - `id`: another id follows from it, the same one wherever it stands
 * - `<kind> key`: the key of the same user, address … in the new project; `lane of <column>`: the lane of such a key, not in the file
 * - `ids within`: JSON or text in which ids of the API, and addresses of the project's own images, are replaced
 * - `slot ids within`: JSON of a device in which the slot of the row is replaced
 * - `bytes`: base64 in the file; `secret`: sealed bytes, in clear in the file, or not there
 * - `fingerprint`: follows from other columns of the row
 * - `order`: a number of a sequence, which goes on above it
 * - `numbered anew`: a number that the rows get in the order of the file, not in it
 * - `cleared`: not in the file, begins as in a new project
 * - `opaque`: a uuid by which nothing is found; `data`: JSON of the customer's own, or a number of no importance
 */
export type Treatment =
  | "id"
  | `${KeyKind} key`
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

/** How the rows of a table travel. `t` is the table in every piece of SQL of an export, `i` the row of the file in those of an import. */
export type Exported = {
  /** By column, of those that are not simply carried over. */
  columns: Readonly<Record<string, Treatment>>;
  /** Which rows are the project's; by default those with its id. `$1` is that id. */
  where?: string;
  /** Which of the project's rows are written, where not all are. */
  only?: string;
  /** Further fields of a record, for what follows from them: SQL by name. */
  beside?: Readonly<Record<string, string>>;
  /** The order of its records, where the order means something. */
  orderBy?: string;
  /** Rows that are read at once, where they are large. */
  page?: number;
  /** Columns that an import does not take as they are: SQL by name. */
  set?: Readonly<Record<string, string>>;
  /** Tables of older exports whose rows this one has now, each with its columns that have another name here. */
  formerly?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** What a room says of a table that it owns. `Name` is a table of the schema. */
export type Declared<Name extends string = string> = {
  lies: Place;
  /** The prefix that its ids have in the API. */
  ids?: IdPrefix;
  /** Tables that its foreign keys name; organization and project are understood. */
  refersTo?: readonly Name[];
} & (
  | { exported: Exported }
  /** An import counts its rows again, from those of other tables. */
  | { recounted: string }
  /** No export contains it, and why. */
  | { leftOut: string }
);

/** A table with the folder whose stores are the only ones that write it: a room of `features`, or the platform. */
export type Owned = Declared & { owner: string };

/** Declares the tables of a room. `owner` is its folder. */
export const declareTables = <const Name extends keyof Tables>(
  owner: string,
  tables: Readonly<Record<Name, Declared<keyof Tables>>>,
): Readonly<Record<Name, Owned>> => {
  const owned = Object.entries<Declared>(tables).map(([name, table]) => [name, { ...table, owner }]);
  return Object.fromEntries(owned) as Record<Name, Owned>;
};

/** Columns that name a user in an export, a delivery, and one device of a push. */
export const USER_KEY = { user_key: "user key", lane: "lane of user_key" } as const;
export const DELIVERY_KEY = { ...USER_KEY, campaign_id: "id" } as const;
export const SLOT_KEY = { ...USER_KEY, slot_key: "slot key", campaign_id: "id" } as const;

/** Rows that are read at once of a table whose rows are large. */
export const PAGE_OF_LARGE_ROWS = 20;
