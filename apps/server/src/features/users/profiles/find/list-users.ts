import { z } from "zod";
import { isInstant, isKey } from "../../../../platform/http/contract/cursor.pure.ts";
import {
  cursorFields,
  cursorOf,
  cursorQuery,
  readCursor,
  searchedFields,
} from "../../../../platform/http/contract/cursor.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { queryInstant, text } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { kindOf } from "../../identities/kinds.pure.ts";
import { EndUser, visitorsOnly } from "../schema.ts";
import { toEndUser } from "../store.ts";
import { listUsers as selectUsers, type UserPlace } from "./list-store.ts";

const placeOf = ([firstSeenAt, userKey]: readonly unknown[]): UserPlace | null =>
  isInstant(firstSeenAt) && isKey(userKey) ? { firstSeenAt, userKey } : null;

export const listUsers = endpoint(
  {
    id: "listUsers",
    method: "GET",
    path: "/api/v1/users",
    tag: "Users",
    summary: "List users, those first seen last before the others",
    description:
      "Filters narrow one another. `traitKey` and `traitValue` go together and compare a trait that is a text, a number or a boolean by its text form. `activeSince` and `firstSeenSince` include their instant. With `q`, `traitKey` or `activeSince`, the 100,000 first seen last are looked at: where these were not all (`searchedAll`), `total` is of these, and `nextCursor` goes on. Visitors who are not signed in are in it only with `visitors=only`, and then alone.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: { hides: ["visitors"] },
    oneInstant: true,
    cost: "heavy",
    query: z
      .object({
        q: text(256, 0)
          .optional()
          .describe("Part of the id in your product or of the traits as JSON, whatever its case."),
        traitKey: text(200, 0).optional().describe("Only users with this trait. Together with `traitValue`."),
        traitValue: text(200, 0).optional().describe("Value of the trait, as text."),
        activeSince: queryInstant.optional(),
        firstSeenSince: queryInstant.optional(),
        visitors: visitorsOnly,
        ...pageQuery(),
        ...cursorQuery,
      })
      .check((ctx) => {
        const { traitKey, traitValue } = ctx.value;
        if ((traitKey === undefined) === (traitValue === undefined)) return;
        const [missing, given] =
          traitKey === undefined ? ["traitKey", "traitValue"] : ["traitValue", "traitKey"];
        const message = `must be given together with ${given}`;
        ctx.issues.push({ code: "custom", message, input: ctx.value, path: [missing] });
      }),
    result: z.object({
      users: z.array(EndUser).max(100).describe("Users."),
      ...pageFields,
      ...cursorFields,
      ...searchedFields,
    }),
  },
  async ({ app, db, projectId, now }, { query }) => {
    const { rows, total, searchedAll, next } = await selectUsers(db, projectId, {
      kind: kindOf(query.visitors),
      filter: query,
      after: readCursor(query.cursor, placeOf),
      ...pageWindow(query),
      among: app.config.limits.usersSearched,
    });
    return {
      users: rows.map(toEndUser(now)),
      ...pageAnswer(query, total),
      nextCursor: next === null ? null : cursorOf([next.firstSeenAt, next.userKey]),
      searchedAll,
    };
  },
);
