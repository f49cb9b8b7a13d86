import { z } from "zod";
import { keyRef, type UserRef, uuidOf } from "../../domain/ids.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { requireSegmentExpression } from "../audience/segments/public.ts";
import { readTraitKeys } from "../counting/rollups/public.ts";
import { kindOf } from "../users/identities/kinds.pure.ts";
import { toEndUser } from "../users/profiles/public.ts";
import { type EndUser, visitorsOnly } from "../users/profiles/schema.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { afterRow, since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { nextUsers } from "./users-store.ts";
import { walk } from "./walk.ts";

/** As many traits as one user may have: what stands in no column is in the last one. */
const MOST_TRAIT_COLUMNS = 200;

const IDENTITY: readonly Column<EndUser>[] = [
  ["id", ({ id }) => id],
  ["externalUserId", ({ externalUserId }) => externalUserId],
  ["firstSeenAt", ({ firstSeenAt }) => firstSeenAt, "instant"],
  ["lastSeenAt", ({ lastSeenAt }) => lastSeenAt, "instant"],
  ["isVisitor", ({ isVisitor }) => isVisitor, "boolean"],
];

const columnsOf = (keys: readonly string[]): Column<EndUser>[] => {
  const known = new Set(keys);
  const others = (traits: EndUser["traits"]) => Object.entries(traits).filter(([key]) => !known.has(key));
  return [
    ...IDENTITY,
    ...keys.map(
      (key): Column<EndUser> => [
        `traits.${key}`,
        ({ traits }) => (Object.hasOwn(traits, key) ? traits[key] : null),
      ],
    ),
    [
      "otherTraits",
      ({ traits }) => {
        const left = others(traits);
        return left.length === 0 ? null : Object.fromEntries(left);
      },
    ],
  ];
};

/** All users and visitors, as they are now. Its columns are the same whatever traits there are. */
export const userTable: Table<EndUser, UserRef> = {
  columns: [...IDENTITY, ["traits", ({ traits }) => traits, "json"]],
  async open({ db, projectId, now }) {
    const chosen = { expression: null, evaluatedAt: now, kind: "both", filter: { until: now } } as const;
    return async (after) => {
      const { rows, next } = await nextUsers(db, projectId, chosen, after);
      return { rows: rows.map(toEndUser(now)), next };
    };
  },
};

export const userExtract = list(
  {
    name: "users",
    id: "extractUsers",
    audit: "took out a list of users",
    summary: "Take out the list of users as a file",
    description:
      "By their key. `since` and `until` are of when they were first seen, and include their instant; `segment` is the id or key of a segment, as it is now; the other filters are those of the list of users. Visitors are in it only with `visitors=only`, and then alone. The table has a column for each of the 200 traits that most users have, and what is left as JSON in the last one.",
    query: z.object({
      since,
      until,
      segment: text(128).optional().describe("Only users of this segment: its id or its key."),
      q: text(256, 0).optional().describe("Only users who have this in their id or traits."),
      traitKey: text(200, 0).optional().describe("Only users whose trait of this name is `traitValue`."),
      traitValue: text(200, 0).optional().describe("The value of the trait `traitKey`, as a text."),
      visitors: visitorsOnly,
      after: afterRow("the user"),
    }),
    errors: ["not_found"],
  },
  async (
    reading,
    { since: firstSeenSince, until: last, segment, visitors, after: behind, ...narrowed },
    format,
  ) => {
    const { db, projectId, now } = reading;
    const { traitKey, traitValue } = narrowed;
    if ((traitKey === undefined) !== (traitValue === undefined))
      throw new ApiError("invalid_request", "query.traitKey and query.traitValue must be given together");
    const userKey = behind === undefined ? null : uuidOf("eu", behind);
    if (behind !== undefined && userKey === null)
      throw new ApiError("invalid_request", "query.after must be an id that begins with eu_");
    const chosen = {
      expression: segment === undefined ? null : await requireSegmentExpression(reading, segment),
      evaluatedAt: now,
      kind: kindOf(visitors),
      filter: { ...narrowed, firstSeenSince, until: Math.min(last ?? now, now) },
    };
    const keys = format === "csv" ? await readTraitKeys(db, projectId, MOST_TRAIT_COLUMNS) : [];
    async function* pages() {
      const start = userKey === null ? null : keyRef(userKey);
      for await (const rows of walk((from) => nextUsers(db, projectId, chosen, from), start))
        yield rows.map(toEndUser(now));
    }
    return fileLines(format, columnsOf(keys), pages());
  },
);
