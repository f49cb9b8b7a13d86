import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { queryInstant, text } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { kindOf } from "../../identities/kinds.pure.ts";
import { EndUser, visitorsOnly } from "../schema.ts";
import { listUsers as selectUsers, toEndUser } from "../store.ts";

export const listUsers = endpoint(
  {
    id: "listUsers",
    method: "GET",
    path: "/api/v1/users",
    tag: "Users",
    summary: "List users, those first seen last before the others",
    description:
      "Filters narrow one another. `q` is part of the id in your product or of the traits as JSON, whatever its case. `traitKey` and `traitValue` go together and compare a trait that is a text, a number or a boolean by its text form. `activeSince` and `firstSeenSince` include their instant. Visitors who are not signed in are in it only with `visitors=only`, and then alone.",
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
      })
      .check((ctx) => {
        const { traitKey, traitValue } = ctx.value;
        if ((traitKey === undefined) === (traitValue === undefined)) return;
        const [missing, given] =
          traitKey === undefined ? ["traitKey", "traitValue"] : ["traitValue", "traitKey"];
        const message = `must be given together with ${given}`;
        ctx.issues.push({ code: "custom", message, input: ctx.value, path: [missing] });
      }),
    result: z.object({ users: z.array(EndUser).max(100).describe("Users."), ...pageFields }),
  },
  async ({ db, projectId, now }, { query }) => {
    const filter = { ...query, kind: kindOf(query.visitors) };
    const { rows, total } = await selectUsers(db, projectId, filter, pageWindow(query));
    return { users: rows.map(toEndUser(now)), ...pageAnswer(query, total) };
  },
);
