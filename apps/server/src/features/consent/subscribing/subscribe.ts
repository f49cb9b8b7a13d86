import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { listTopicRows, type TopicRow } from "../../campaigns/topics/public.ts";
import { topicKey } from "../../campaigns/topics/schema.ts";
import { addressRef, parseAddress } from "../../email/addresses/public.ts";
import { findNamedUser } from "../../users/profiles/public.ts";
import { addressOfUser } from "../choices/public.ts";
import { FOR_PAGES, type Joining, join } from "./join.ts";
import { makeReachable } from "./reachable.ts";

const Body = z.object({
  userId: externalUserId.optional().describe("The user, who has an address."),
  email: text(320)
    .optional()
    .describe("The address; instead of `userId`, also of a reader whom you do not know."),
  topics: z.array(topicKey).min(1).max(20).describe("Keys of the topics that are joined."),
  source: text(64)
    .optional()
    .describe("Where that was, as you call it, such as `footer`; it is kept in the log."),
  form: text(4_000)
    .optional()
    .describe("What the form said to the reader, word for word: its SHA-256 is kept in the log."),
});
type Body = z.output<typeof Body>;

/**
 * The address that joins. Null where a page names a user who is not there, or has no address, and does not prove them: it must not learn that.
 * @throws ApiError the same in words, for others
 */
async function joiningOf(ctx: Ctx, { userId, email }: Body): Promise<Joining | null> {
  const { projectId } = ctx;
  if ((userId === undefined) === (email === undefined))
    throw new ApiError("invalid_request", "exactly one of userId and email is required");
  if (userId !== undefined) {
    const user = await findNamedUser(ctx, userId);
    const to = user === null ? null : addressOfUser(projectId, user);
    if (to !== null || !ctx.isProven()) return to;
    if (user === null) throw new ApiError("not_found", "User not found");
    throw new ApiError("conflict", "This user has no email address: send email, or set the trait email.", {
      fields: { reason: "no_address" },
    });
  }
  const to = parseAddress(email);
  if (to === null) throw new ApiError("invalid_request", "email must be an email address");
  return { ...addressRef(projectId, to.address), address: to.address };
}

/** @throws ApiError for a key that no topic has, or only an archived one */
async function topicsOf({ db, projectId }: Ctx, keys: readonly string[]): Promise<TopicRow[]> {
  const topics = await listTopicRows(db, projectId, { status: "active", keys });
  const known = new Set(topics.map(({ key }) => key));
  for (const [at, key] of keys.entries())
    if (!known.has(key))
      throw new ApiError("invalid_request", `topics[${at}] must be the key of a topic that is not archived`);
  return topics;
}

export const subscribe = endpoint(
  {
    id: "subscribe",
    method: "POST",
    path: "/api/v1/subscriptions",
    tag: "Topics",
    summary: "Join topics by email",
    description:
      "From a form, for an address that you may not know yet. A topic with `doubleOptIn` is joined only once the owner of the address has pressed the button of a mail that Tidings sends now; with a publishable key every topic is. The text of that mail is the template `confirm`, which you may change. Its button works for 7 days, and an address is asked at most three times a day. An owner who unsubscribed from everything has to confirm any topic, and gets mail again then; an address that bounced or complained, or that your team stopped, gets nothing.",
    keys: ["publishable", "secret"],
    budget: "subscriptions",
    tool: "It subscribes single persons, which forms and servers do.",
    bodyLimit: 32 * 1_024,
    identifies: ({ body: { userId = null } }) => ({ userId }),
    body: Body,
    example: { email: "ada@example.com", topics: ["newsletter"], source: "footer" },
    result: z.object({
      confirmationSent: z
        .boolean()
        .describe(
          "Whether a mail asks the owner of the address to confirm. With a publishable key always true, so that nobody learns from it whose address is known.",
        ),
      joined: z
        .array(topicKey)
        .max(20)
        .describe("Keys of the topics that are joined now; none with a publishable key."),
    }),
    errors: ["not_found", "conflict"],
    reasons: ["no_address", "address_stopped", "template_not_live", "channel_not_ready"],
  },
  async (given, { body }) => {
    const isOurs = given.keyKind === "secret";
    const { to, answer } = await given.db.transaction().execute(async (db) => {
      const ctx = { ...given, db };
      const topics = await topicsOf(ctx, body.topics);
      const to = await joiningOf(ctx, body);
      return { to, answer: to === null ? FOR_PAGES : await join(ctx, to, topics, body) };
    });
    if (isOurs && to !== null && answer.joined.length > 0)
      await makeReachable(given.app, given.projectId, to.address, given.now);
    return isOurs ? answer : FOR_PAGES;
  },
);
