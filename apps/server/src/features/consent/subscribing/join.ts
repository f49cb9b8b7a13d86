import { createHash, randomUUID } from "node:crypto";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import type { TopicRow } from "../../campaigns/topics/public.ts";
import { type AddressRef, keepAddress, readAddress } from "../../email/addresses/public.ts";
import { requestSends } from "../../transactional/public.ts";
import {
  type ConsentProof,
  chooseForAddress,
  logConsents,
  ofAddress,
  readChoices,
} from "../choices/public.ts";
import { confirmTemplate } from "./confirm-template.ts";
import { CONFIRM_TEMPLATE, listed, MOST_A_DAY } from "./rules.ts";
import { countRequests } from "./store.ts";
import { confirmationSigner } from "./token.ts";

/** An address, as it was written, that joins topics. */
export type Joining = AddressRef & { address: string };

/** Where it joins, as the customer calls it, and what the form said. */
type Place = { source?: string | undefined; form?: string | undefined };

/** Sends a mail that asks the owner of an address to confirm, and logs that. Needs a transaction that keeps the address. */
async function ask(ctx: Ctx, to: Joining, topics: readonly TopicRow[], proof: ConsentProof): Promise<void> {
  const { app, db, projectId, now } = ctx;
  if ((await countRequests(db, projectId, to, { since: now - DAY_MS, now })) >= MOST_A_DAY)
    throw new ApiError(
      "rate_limited",
      `An address is asked to confirm at most ${MOST_A_DAY} times a day: this one has the mails already.`,
    );
  await confirmTemplate(ctx);
  const requestId = randomUUID();
  const acts = topics.map(({ id }) => ({ topicId: id, action: "requested" as const }));
  await logConsents(db, projectId, ofAddress(to), acts, { ...proof, requestId });
  const url = `${app.publicUrl()}/e/${app.get(confirmationSigner).token(requestId)}/confirm`;
  const data = { topics: listed(topics.map(({ name }) => name)), confirm_url: url };
  const request = {
    content: { template: CONFIRM_TEMPLATE, data },
    to: { email: to.address, name: null },
    from: null,
    shownTo: [],
    shownCc: [],
    replyTo: [],
    headers: [],
    attachments: [],
    sendAt: null,
    tags: {},
  };
  await requestSends(ctx, [{ request, at: [] }]);
}

type Answer = { confirmationSent: boolean; joined: string[] };

/** What a page gets to know, whatever became of its request. */
export const FOR_PAGES: Answer = { confirmationSent: true, joined: [] };

/**
 * Joins topics with an address, at once or by a mail that asks its owner. Needs a transaction.
 * @throws ApiError conflict for an address that gets no mail, where our customer's server asks; a page must not learn that
 */
export async function join(
  ctx: Ctx,
  to: Joining,
  topics: readonly TopicRow[],
  { source, form }: Place,
): Promise<Answer> {
  const { db, projectId, now } = ctx;
  const isOurs = ctx.keyKind === "secret";
  await keepAddress(db, projectId, to, to.address);
  const stoppedBy = (await readAddress(db, projectId, to, 0))?.suppressedBy ?? null;
  const isOut = stoppedBy === "unsubscribed";
  if (stoppedBy !== null && !isOut) {
    if (!isOurs) return FOR_PAGES;
    const why = "This address gets no mail: it bounced, complained, or your team stopped it.";
    throw new ApiError("conflict", why, { fields: { reason: "address_stopped" } });
  }
  const chosen = await readChoices(db, projectId, ofAddress(to));
  // An owner who unsubscribed from everything gets nothing of what they had joined.
  const isIn = ({ id }: TopicRow) => !isOut && chosen.some(({ topicId, isIn: has }) => topicId === id && has);
  const confirms = (topic: TopicRow) => topic.doubleOptIn || !isOurs || isOut;
  const [unconfirmed, direct] = [
    topics.filter((topic) => confirms(topic) && !isIn(topic)),
    topics.filter((topic) => !confirms(topic)),
  ];
  const proof: ConsentProof = {
    at: now,
    via: isOurs ? "api" : "form",
    source: source ?? null,
    formHash: form === undefined ? null : createHash("sha256").update(form).digest("hex"),
  };
  const choices = direct.map(({ id }) => ({ topicId: id, isIn: true }));
  await chooseForAddress(db, projectId, to, choices, proof);
  if (unconfirmed.length > 0) await ask(ctx, to, unconfirmed, proof);
  const joined = topics.filter((topic) => direct.includes(topic) || isIn(topic)).map(({ key }) => key);
  return { confirmationSent: unconfirmed.length > 0, joined };
}
