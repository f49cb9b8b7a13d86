import { z } from "zod";
import { storedUserId } from "../../../../domain/fields.ts";
import { apiId, keyRef, userRef, uuidOf } from "../../../../domain/ids.ts";
import { endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { NamedUser } from "../schema.ts";
import { findUserRows, type UserRow } from "../store.ts";
import { calledOf } from "./name.pure.ts";
import { readNameTrait } from "./name-trait.ts";

/** The most users of one request: more than a page of any list has. */
const MOST = 200;

/** The keys of users that an id may mean: by `eu_…` where it is written so, else by the customer's own id. */
const refsOf = (projectId: string, id: string) => {
  const userKey = uuidOf("eu", id);
  return [...(userKey === null ? [] : [keyRef(userKey)]), userRef(projectId, id)];
};

export const listUserNames = endpoint(
  {
    id: "listUserNames",
    method: "POST",
    path: "/api/v1/users/names",
    tag: "Users",
    summary: "Read how some users are called",
    description:
      "`name` is the trait that the setting users.nameTrait names, else `name` (`full_name`), else `first_name` and `last_name`, else `email`; what is no text, or shows nothing, is passed over. Ids that are no user's are left out.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    isRead: true,
    oneInstant: true,
    bodyLimit: 256 * KIB,
    body: z.object({
      userIds: z.array(storedUserId).min(1).max(MOST).describe("Each `eu_…`, or the id in your product."),
    }),
    example: { userIds: ["ada", "grace"] },
    result: z.object({
      users: z.array(NamedUser).max(MOST).describe("In the order in which they were named, each id once."),
    }),
  },
  async ({ db, projectId }, { body: { userIds } }) => {
    const wanted = [...new Set(userIds)].map((userId) => ({ userId, refs: refsOf(projectId, userId) }));
    const nameTrait = await readNameTrait(db, projectId);
    const rows = await findUserRows(
      db,
      projectId,
      wanted.flatMap(({ refs }) => refs),
    );
    const byKey = new Map(rows.map((row) => [row.userKey, row]));
    const rowFor = (refs: ReturnType<typeof refsOf>): UserRow | undefined =>
      refs.map(({ userKey }) => byKey.get(userKey)).find((row) => row !== undefined);
    const users = wanted.flatMap(({ userId, refs }) => {
      const row = rowFor(refs);
      if (row === undefined) return [];
      // Only checked objects are written to this column.
      const name = calledOf(row.traits as Record<string, unknown>, nameTrait);
      return [{ userId, id: apiId("eu", row.userKey), externalUserId: row.externalId, name }];
    });
    return { users };
  },
);
