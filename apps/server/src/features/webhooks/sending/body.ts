import { apiId, deliveryId } from "../../../domain/ids.ts";
import { isVisitorId } from "../../../domain/visitors.pure.ts";
import type { SubjectFacts } from "./bodies-store.ts";
import type { LeasedRow } from "./lease-store.ts";

/** The most bytes of a body. Standard Webhooks asks for less than 20 KiB. */
export const MOST_BODY_BYTES = 16 * 1_024;

type Data = Record<string, unknown>;

/** The campaign that a message is about, as it is called now. */
const campaignOf = ({ campaignId }: LeasedRow, { campaignName, channel }: SubjectFacts): Data | null =>
  campaignId === null || campaignName === null
    ? null
    : { id: apiId("cmp", campaignId), name: campaignName, channel };

/** The user or the visitor who got a delivery. The id under which a visitor is kept is a secret of their browser. */
const recipientOf = ({ userKey }: LeasedRow, { externalId }: SubjectFacts): Data =>
  userKey !== null && externalId !== null && isVisitorId(externalId)
    ? { userId: null, visitor: { id: apiId("eu", userKey) } }
    : { userId: externalId };

function deliveryData(row: LeasedRow, facts: SubjectFacts): Data {
  const { userKey, campaignId, occasion, variantId } = row;
  const { deliveryKey, variantName } = facts;
  const isThere = userKey !== null && deliveryKey !== null && campaignId !== null && occasion !== null;
  return {
    deliveryId: isThere ? deliveryId({ userKey: deliveryKey, campaignId, occasion }) : null,
    ...recipientOf(row, facts),
    campaign: campaignOf(row, facts),
    variant: variantId === null ? null : { id: apiId("var", variantId), name: variantName },
    occasion,
  };
}

function userData(
  { userKey }: LeasedRow,
  { externalId, traits, firstSeenAt, lastSeenAt }: SubjectFacts,
): Data {
  if (userKey === null || externalId === null) return { userId: null, user: null };
  return {
    userId: externalId,
    user: { id: apiId("eu", userKey), externalUserId: externalId, traits, firstSeenAt, lastSeenAt },
  };
}

function mergeData({ userKey, data }: LeasedRow, { externalId }: SubjectFacts): Data {
  const visitorId = data?.visitorId ?? null;
  return {
    user:
      userKey === null || externalId === null
        ? null
        : { id: apiId("eu", userKey), externalUserId: externalId },
    visitor: visitorId === null ? null : { id: visitorId },
  };
}

/** What a message says of a user. */
function newsOfUser(row: LeasedRow, facts: SubjectFacts): Data {
  if (row.type === "user.erased") return { userId: null, ...row.data };
  return row.type === "user.merged" ? mergeData(row, facts) : userData(row, facts);
}

/** What a message says, by what is so when it leaves. */
function dataOf(row: LeasedRow, facts: SubjectFacts): Data {
  const [topic] = row.type.split(".");
  switch (topic) {
    case "delivery":
      return deliveryData(row, facts);
    case "address":
      return { address: facts.address, ...row.data };
    case "user":
      return newsOfUser(row, facts);
    case "test":
      return { text: "This message was requested by a person, to see it arrive." };
    case "import":
    case "sync":
      return { ...row.data };
    default:
      return { campaign: campaignOf(row, facts), ...row.data };
  }
}

/** What a body does without where it would be too long, one after the other: fields of its data that may be null. */
const SPARED = ["traits", "mutation", "rationale", "fault", "reason"] as const;

/** The data without one of its fields, which becomes null; the same where it has none of that name. */
function without(data: Data, field: (typeof SPARED)[number]): Data {
  const { user } = data as { user?: Data | null };
  if (field === "traits") return user ? { ...data, user: { ...user, traits: null } } : data;
  return field in data ? { ...data, [field]: null } : data;
}

/**
 * The body of a message: JSON of its type, when that happened (ISO 8601, as Standard Webhooks has it), and what it says. A body that would be
 * too long does without its largest fields, and names them.
 */
export function bodyOf(row: LeasedRow, facts: SubjectFacts): string {
  const { type, happenedAt, gapBefore } = row;
  const head = {
    type,
    timestamp: new Date(happenedAt).toISOString(),
    ...(gapBefore && { gapBefore }),
  };
  let data = dataOf(row, facts);
  let body = JSON.stringify({ ...head, data });
  const leftOut: string[] = [];
  for (const field of SPARED) {
    if (Buffer.byteLength(body) <= MOST_BODY_BYTES) break;
    const less = without(data, field);
    if (less === data) continue;
    data = less;
    leftOut.push(field);
    body = JSON.stringify({ ...head, leftOut, data });
  }
  return body;
}
