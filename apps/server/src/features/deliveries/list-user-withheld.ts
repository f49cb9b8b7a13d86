import { z } from "zod";
import { answerIds, pathIds } from "../../domain/fields.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../platform/http/contract/fields.ts";
import { requireUser } from "../users/profiles/public.ts";
import { listUserWithheld as selectUserWithheld } from "./store.ts";

/** The most campaigns that are listed. */
const MOST = 100;

const id = z.string().max(128);

export const listUserWithheld = endpoint(
  {
    id: "listUserWithheld",
    method: "GET",
    path: "/api/people/users/{id}/withheld",
    tag: "Users",
    summary:
      "List the campaigns that were withheld from a user, who is held out of their goals, newest first",
    keys: [],
    people: "viewer",
    params: z.object({ id: pathIds.user }),
    result: z.object({
      withheld: z
        .array(
          z.object({
            campaignId: answerIds.campaign,
            campaignName: z.string().max(200).describe("Its name."),
            goalId: id.nullable().describe("The goal whose messages the user does not get."),
            goalName: z.string().max(200).nullable(),
            withheldAt: epochMs.describe("When a message would have been queued."),
          }),
        )
        .max(MOST),
      more: z.boolean().describe("Whether there are further ones."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const user = await requireUser(ctx, params.id);
    const withheld = await selectUserWithheld(ctx.db, ctx.projectId, user, MOST + 1);
    return { withheld: withheld.slice(0, MOST), more: withheld.length > MOST };
  },
);
