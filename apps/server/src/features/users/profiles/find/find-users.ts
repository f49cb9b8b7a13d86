import { z } from "zod";
import { apiId, keyRef, type UserRef, userRef, uuidOf } from "../../../../domain/ids.ts";
import { isVisitorId } from "../../../../domain/visitors.pure.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { type Port, port } from "../../../../platform/runtime.ts";
import { kindOf } from "../../identities/kinds.pure.ts";
import { FoundUser, visitorsOnly } from "../schema.ts";
import { areAllAmong, type EndUserRow, findUserRows, searchNewestUsers } from "../store.ts";
import { foundBy, searchWords } from "./find.pure.ts";
import { readNameTrait } from "./name-trait.ts";

/** How many users are answered: who sees more names them more closely instead. */
const MOST = 5;

/** The users to whose address mail has left, whatever its case: an index finds them among any number of users. */
export const addressees: Port<(db: Db, projectId: string, address: string) => Promise<UserRef[]>> =
  port("addressees");

/** Rows without those that stand before them in the list already. */
const distinct = (rows: readonly EndUserRow[]): EndUserRow[] => [
  ...new Map(rows.map((row) => [row.userKey, row])).values(),
];

export const findUsers = endpoint(
  {
    id: "findUsers",
    method: "POST",
    path: "/api/v1/users/find",
    tag: "Users",
    summary: "Find the users whom an id, an email address or a name means",
    description:
      "Each word of `q` has to be part of the id, the trait `email`, or a name (`name`, `full_name`, `first_name`, `last_name`, the setting users.nameTrait), whatever its case. A whole id, and an address that mail has left to, are found among all users; parts of them among the newest. A visitor who is not signed in is found by a whole id; by the rest only with `visitors` `only`, and then alone.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: { hides: ["visitors"] },
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    body: z.object({
      visitors: visitorsOnly,
      q: text(320).describe("What is known of the user: an id, an email address, a name, or a part of them."),
    }),
    example: { q: "ada@example.com" },
    result: z.object({
      users: z.array(FoundUser).max(MOST).describe("The most exact ones first, at most five."),
      more: z.boolean().describe("Whether more users are like that."),
      searchedAll: z
        .boolean()
        .describe("Whether all users were looked at; otherwise those first seen last were."),
    }),
  },
  async ({ app, db, projectId }, { body: { q, visitors } }) => {
    const typed = q.trim();
    const words = searchWords(typed);
    const among = app.config.limits.usersSearched;
    if (words.length === 0) return { users: [], more: false, searchedAll: true };
    const named = await Promise.all(
      app.askAll(addressees).map((readAddressees) => readAddressees(db, projectId, typed)),
    );
    const userKey = uuidOf("eu", typed);
    const ids = [
      ...(userKey === null ? [] : [keyRef(userKey)]),
      userRef(projectId, q),
      userRef(projectId, typed),
    ];
    const exact = [
      ...(await findUserRows(db, projectId, ids)),
      ...(await findUserRows(db, projectId, named.flat())),
    ];
    const nameTrait = await readNameTrait(db, projectId);
    const kind = kindOf(visitors);
    const searching = { typed, words, nameTrait, kind, among, limit: MOST + 1 };
    const newest = await searchNewestUsers(db, projectId, searching);
    // A whole id means this one, whatever was asked for; with visitors alone it is one of them.
    const meant = exact.filter(({ externalId }) => kind === "users" || isVisitorId(externalId));
    const rows = distinct([...meant, ...newest]);
    return {
      users: rows.slice(0, MOST).map((row) => foundBy(apiId("eu", row.userKey), row, { typed, nameTrait })),
      more: rows.length > MOST,
      searchedAll: await areAllAmong(db, projectId, kind, among),
    };
  },
);
