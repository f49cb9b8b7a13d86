import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { listTopicRows } from "../../campaigns/topics/public.ts";
import { topicKey } from "../../campaigns/topics/schema.ts";
import { requireUser } from "../../users/profiles/public.ts";
import { type Choice, type ConsentProof, ofUser } from "./choices-store.ts";
import { choose, chooseForAddress } from "./choose.ts";
import { ConsentChannel, InOrOut, TopicSubscriptions } from "./schema.ts";
import { addressOfUser } from "./user-address.ts";
import { readSubscriptions } from "./view.ts";

const Body = z.object({
  choices: z
    .array(
      z.object({
        topic: topicKey.describe("Key of the topic."),
        channel: ConsentChannel.default("email").describe(
          "By email, of the address that the user has now, or by push.",
        ),
        wants: InOrOut.describe("Whether they want it."),
      }),
    )
    .min(1)
    .max(100)
    .describe(
      "What they chose; topics that are not named stay as they are. One may be there once for each channel.",
    ),
});
type Body = z.output<typeof Body>;

/** What is chosen of a channel. @throws ApiError for a key that no topic has, or only an archived one, and for one that is there twice */
async function choicesIn(
  { db, projectId }: Ctx,
  { choices }: Body,
  channel: Body["choices"][number]["channel"],
): Promise<Choice[]> {
  const keys = [...new Set(choices.map(({ topic }) => topic))];
  const topics = await listTopicRows(db, projectId, { status: "active", keys });
  const seen = new Set<string>();
  return choices.flatMap((choice, index) => {
    const topic = topics.find(({ key }) => key === choice.topic);
    if (topic === undefined)
      throw new ApiError(
        "invalid_request",
        `choices[${index}].topic must be the key of a topic that is not archived`,
      );
    if (choice.channel !== channel) return [];
    if (seen.has(topic.id)) throw new ApiError("invalid_request", `choices[${index}].topic is given twice`);
    seen.add(topic.id);
    return [{ topicId: topic.id, isIn: choice.wants === "in" }];
  });
}

/** By whom a choice is written: your server, or a person of the team. */
const proofOf = ({ now, by }: Ctx): ConsentProof => ({
  at: now,
  via: by.kind === "human" ? "person" : "api",
  by: by.kind === "human" ? by.name : null,
});

export const putUserSubscriptions = endpoint(
  {
    id: "putUserSubscriptions",
    method: "PUT",
    path: "/api/v1/users/{id}/subscriptions",
    audit: "changed what a user gets",
    tag: "Topics",
    summary: "Write which topics a user wants",
    description:
      "For choices that were made on pages of yours, such as settings of an account: no mail asks to confirm. An address that unsubscribed from everything stays unsubscribed.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns keep to what readers chose.",
    budget: "subscriptions",
    tool: "It is about a single person, who chooses.",
    params: z.object({ id: pathIds.user }),
    body: Body,
    example: { choices: [{ topic: "newsletter", wants: "out" }] },
    result: z.object({ subscriptions: TopicSubscriptions.describe("What they get now.") }),
    errors: ["not_found", "conflict"],
    reasons: ["no_address"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId } = ctx;
    const user = await requireUser(ctx, params.id);
    const byMail = await choicesIn(ctx, body, "email");
    const byPush = await choicesIn(ctx, body, "push");
    const to = addressOfUser(projectId, user);
    if (byMail.length > 0 && to === null)
      throw new ApiError(
        "conflict",
        "This user has no email address: set the trait email, or choose for push alone.",
        {
          fields: { reason: "no_address" },
        },
      );
    const proof = proofOf(ctx);
    if (to !== null && byMail.length > 0) await chooseForAddress(db, projectId, to, byMail, proof);
    await choose(db, projectId, ofUser(user), byPush, proof);
    ctx.describe({ target: apiId("eu", user.userKey), after: body });
    return { subscriptions: await readSubscriptions(db, projectId, user, to) };
  },
);
