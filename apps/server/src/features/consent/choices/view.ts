import type { UserRef } from "../../../domain/ids.ts";
import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { listTopicRows, type TopicRow } from "../../campaigns/topics/public.ts";
import { type AddressRef, readAddress } from "../../email/addresses/public.ts";
import { type ChosenTopic, type ConsentRow, ofAddress, ofUser, readChoices } from "./choices-store.ts";
import { wantsTopic } from "./rules.ts";
import type { Consent, TopicSubscription } from "./schema.ts";

const chosenOf = (topic: TopicRow, choices: readonly ChosenTopic[]): TopicSubscription["push"] => {
  const choice = choices.find(({ topicId }) => topicId === topic.id);
  return {
    wants: wantsTopic(topic, choice?.isIn ?? null) ? "in" : "out",
    chosenAt: choice?.chosenAt ?? null,
  };
};

/** What a user gets, by topic. `to`: their address; null where they have none. */
export async function readSubscriptions(
  db: Db,
  projectId: string,
  user: UserRef,
  to: (AddressRef & { address: string }) | null,
) {
  const topics = await listTopicRows(db, projectId, { status: "active" });
  const byMail = to === null ? [] : await readChoices(db, projectId, ofAddress(to));
  const byPush = await readChoices(db, projectId, ofUser(user));
  const known = to === null ? null : await readAddress(db, projectId, to, 0);
  return {
    address: to?.address ?? null,
    stopped: known?.isSuppressed === true,
    topics: topics.map((topic) => ({
      topicId: apiId("top", topic.id),
      topic: topic.key,
      name: topic.name,
      email: to === null ? null : chosenOf(topic, byMail),
      push: chosenOf(topic, byPush),
    })),
  };
}

/** An entry of the log as the API shows it. */
export const toConsent = (row: ConsentRow): Consent => ({
  id: String(row.id),
  channel: row.isOfAddress ? "email" : "push",
  address: row.address,
  externalUserId: row.externalId,
  topic: row.topicKey,
  action: row.action,
  via: row.via,
  at: row.at,
  source: row.source,
  form: row.formHash,
  by: row.by,
  ip: row.ip,
});
