import { type DeliveryKey, deliveryRef, deliveryText } from "../../../domain/ids.ts";
import { type Connection, inTransaction } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { type Leaving, leaveTopics } from "../../consent/choices/public.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriods, type PeriodOf } from "../../counting/usage/public.ts";
import { type DeliveryReport, keyOfRow, recordDeliveryEvents } from "../../deliveries/public.ts";
import {
  countFailures,
  type MailFailure,
  type Stop,
  type Stream,
  suppressAddresses,
} from "../addresses/public.ts";
import { acceptUnknown, linkSigner, reportErasedMessages } from "../sending/public.ts";
import type { ReportEffect } from "./effects.pure.ts";
import { type LockedSend, lockSends } from "./store.ts";

/**
 * What a reporter says became of a message. `at` is epoch milliseconds by the reporter's clock. `fromEverything`: the recipient wants no mail at all any
 * more; without it, who unsubscribes from a campaign about a topic leaves the topic.
 */
export type SendReport = DeliveryKey & ReportEffect & { at: number; fromEverything?: boolean };

type KnownReport = SendReport & { projectId: string; send: LockedSend };

/**
 * The source of reports. `name`: in a few words, for the record; `isRecipient`: it is the recipient, whose report counts every
 * time; `leftSince` (epoch milliseconds): reports of messages that left before this are ignored.
 */
export type ReportSource = {
  projectId: string;
  name: string;
  now: number;
  isRecipient?: boolean;
  leftSince?: number;
};

/**
 * A report that a message was delivered counts from the reported instant for so long, and later from when the message left. Conversions
 * count from there on, and of events that are deleted for their age (after 7 days at the soonest) what is kept fits no other instant.
 */
const LATE_MS = 6 * DAY_MS;

const streamOf = (isReceipt: boolean): Stream => (isReceipt ? "receipts" : "campaigns");

/** Whether it is reported of this message for the first time. */
const isNews = ({ event, send }: KnownReport): boolean => event !== null && send[`${event}_at`] === null;

/** The topic that a recipient leaves in place of all mail; null where a report stops more than that, or nothing. */
const topicLeft = (
  { stops, fromEverything = false }: Pick<SendReport, "stops" | "fromEverything">,
  topicId: string | null,
): string | null => (stops === "unsubscribed" && !fromEverything ? topicId : null);

/** The address of a message whose recipient leaves a topic, or all mail. */
function leavingOf(report: KnownReport, { now }: ReportSource): Leaving[] {
  const { send, projectId } = report;
  const { address_lane: lane, address_key: addressKey } = send;
  if (report.stops !== "unsubscribed" || lane === null || addressKey === null) return [];
  const topicId = topicLeft(report, send.topic_id);
  if (topicId === null && !isNews(report)) return [];
  return [{ lane, addressKey, projectId, topicId, at: now, via: "one_click" }];
}

/**
 * The address of a message that gets no more mail, where the report says so. What was reported before does not stop mail again that was
 * let through since the message left.
 */
function stopOf(report: KnownReport, { now, isRecipient = false }: ReportSource): Stop[] {
  const { stops: reason, send, projectId } = report;
  const { address_lane: lane, address_key: addressKey } = send;
  if (reason === null || lane === null || addressKey === null || topicLeft(report, send.topic_id) !== null)
    return [];
  const notAllowedSince = isRecipient || isNews(report) ? null : send.left_at;
  return [
    { lane, addressKey, projectId, reason, stream: streamOf(send.is_receipt), at: now, notAllowedSince },
  ];
}

/** The address of a message that came back for a reason that passes, as is reported for the first time. */
function failureOf(report: KnownReport, { now }: ReportSource): MailFailure[] {
  const { isPassing = false, projectId, send } = report;
  const { address_lane: lane, address_key: addressKey, left_at: leftAt } = send;
  if (!isPassing || !isNews(report) || lane === null || addressKey === null) return [];
  return [{ lane, addressKey, projectId, at: now, leftAt: Math.min(leftAt, now) }];
}

function eventsOf({ send, ...report }: KnownReport, now: number, periodOf: PeriodOf): DeliveryReport[] {
  // The reporter's clock may be wrong: the event is neither in the future nor before the message left.
  const leftAt = Math.min(send.left_at, now);
  const isLate = report.event === "delivered" && report.at < now - LATE_MS;
  const at = isLate ? leftAt : Math.max(Math.min(report.at, now), leftAt);
  const delivery = deliveryRef(report);
  const { event } = report;
  return [
    // A report proves that an unknown message was accepted, which makes its user active. For other messages this was counted then.
    ...(send.is_unknown
      ? [{ ...delivery, event: "sent", at: leftAt, period: periodOf(leftAt) } as const]
      : []),
    ...(event === null ? [] : [{ ...delivery, event, at, period: null }]),
  ];
}

/** Stops mail to the addresses of messages whose users were erased, or has them leave a topic; answers how many messages it found. */
async function recordErased(
  app: App,
  client: Connection,
  reports: readonly SendReport[],
  { projectId, now, isRecipient = false }: ReportSource,
): Promise<number> {
  const { messageKey } = app.get(linkSigner);
  const stopping = reports.flatMap(({ stops, ...report }) =>
    stops === null
      ? []
      : [
          {
            ...messageKey(report),
            campaignId: report.campaignId,
            projectId,
            event: stops,
            isRecipient,
            fromEverything: report.fromEverything ?? false,
          },
        ],
  );
  if (stopping.length === 0) return 0;
  const found = await reportErasedMessages(client, stopping);
  const left = found.flatMap(
    ({ ord, addressLane: lane, addressKey, stops: isNew, topicId: ofCampaign }): Leaving[] => {
      const { event, fromEverything } = stopping[ord - 1] ?? { event: null, fromEverything: false };
      const topicId = topicLeft({ stops: event, fromEverything }, ofCampaign);
      return isNew && event === "unsubscribed"
        ? [{ lane, addressKey, projectId, topicId, at: now, via: "one_click" }]
        : [];
    },
  );
  const stopped = found.flatMap(
    ({ ord, addressLane: lane, addressKey, stops: isNew, isReceipt, topicId }) => {
      const { event: reason = null, fromEverything = false } = stopping[ord - 1] ?? {};
      return isNew && reason !== null && topicLeft({ stops: reason, fromEverything }, topicId) === null
        ? [
            {
              lane,
              addressKey,
              projectId,
              reason,
              stream: streamOf(isReceipt),
              at: now,
              notAllowedSince: null,
            },
          ]
        : [];
    },
  );
  if (stopped.length > 0) await suppressAddresses(client, stopped);
  if (left.length > 0) await leaveTopics(client, left);
  return found.length;
}

/**
 * Records reports of one project's messages, all or none; those of messages that it does not have are left out. Of a message whose
 * user was erased only the address is known, by its hash: mail to it stops.
 * @returns how many of the reports were of messages that are known
 */
export async function recordReports(
  app: App,
  reports: readonly SendReport[],
  reporter: ReportSource,
): Promise<number> {
  const { projectId, name, now, leftSince = 0 } = reporter;
  if (reports.length === 0) return 0;
  const messages = new Map(
    reports.map((report) => [deliveryText(report), deliveryRef({ ...report, projectId })]),
  );
  const periodOf = await activePeriods(app, projectId);
  const found = await inTransaction(app.database.pool, async (client) => {
    const locked = await lockSends(client, [...messages.values()]);
    const sends = new Map(locked.map((row) => [keyOfRow(row), row]));
    const known = reports.flatMap((report): KnownReport[] => {
      const send = sends.get(deliveryText(report));
      return send === undefined || send.left_at < leftSince ? [] : [{ ...report, projectId, send }];
    });
    const unknown = reports.filter((report) => !sends.has(deliveryText(report)));
    const erased = await recordErased(app, client, unknown, reporter);
    if (known.length === 0) return erased;
    const stopped = known.flatMap((report) => stopOf(report, reporter));
    if (stopped.length > 0) await suppressAddresses(client, stopped);
    const left = known.flatMap((report) => leavingOf(report, reporter));
    if (left.length > 0) await leaveTopics(client, left);
    const failed = known.flatMap((report) => failureOf(report, reporter));
    if (failed.length > 0) await countFailures(client, failed);
    const events = known.flatMap((report) => eventsOf(report, now, periodOf));
    if (events.length > 0) await recordDeliveryEvents(client, events);
    const proven = known.filter(({ send }) => send.is_unknown);
    if (proven.length > 0)
      await acceptUnknown(
        client,
        proven.map((report) => ({ ...report, at: now, response: `reported by ${name}` })),
      );
    return known.length + erased;
  });
  wakeAfterDelta(app);
  return found;
}
