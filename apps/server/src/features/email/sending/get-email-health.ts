import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../../platform/http/contract/fields.ts";
import { servingOf } from "../../counting/usage/public.ts";
import { emailPausedBecause } from "../../counting/usage/rules.ts";
import { readSome } from "../../settings/public.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { listStoppedCampaigns, readEmailQueue, readEmailTotals, readPace } from "./health-store.ts";

const MOST_STOPS = 50;

const Totals = z.object({
  sent: count.describe("Handed over and answered, whatever became of it then: what came back is among it."),
  delivered: count.describe("Arrived, as far as is known, and did not come back."),
  opened: count.describe("Opened."),
  clicked: count.describe("Clicked."),
  bounced: count.describe("Came back, or was refused because there is no such address."),
  complained: count.describe("Reported as spam."),
  unsubscribed: count.describe("Ended with the wish for no more email."),
  frequencyCapped: count.describe(
    "Left out for good, because the recipient had as many mails as `email.capMax` allows.",
  ),
  failed: count.describe("Refused for good, or given up after the last try; without what bounced."),
  suppressed: count.describe("Left out because the address gets no more mail."),
  withdrawn: count.describe(
    "Postponed for longer than their campaign has patience, or not sent before it ended.",
  ),
});

const Queue = z.object({
  due: count.describe("May leave now."),
  paced: count.describe(
    "Wait for the pace of their recipients' domain, or behind another mail to the same address.",
  ),
  postponed: count.describe(
    "Wait for their hour, for the end of quiet hours, or until their recipients bear another mail (`pressure.max`, `email.capMax`): they leave then, if their campaign still runs and the address still takes mail. That is decided when they are due.",
  ),
  retrying: count.describe("Were refused for now, and are tried again."),
  unconfirmed: count.describe("Wait for your server to name the new address of their user."),
  notRunning: count.describe("Wait for a campaign that is paused, or outside of its time."),
  ended: count.describe(
    "Their campaign ended before they left: they never do, and are withdrawn within a minute.",
  ),
  sending: count.describe("On their way at this moment."),
  unknown: count.describe("Handed over without an answer: a person decides."),
});

const Stop = z.object({
  kind: z.enum(["billing", "campaign"]).describe("Which kind it is of."),
  message: z.string().max(1_000).describe("Why nothing leaves, and what to do."),
  at: epochMs.nullable().describe("Since when; null where that is not known."),
  campaignId: answerIds.campaign.nullable(),
  campaignName: z.string().max(200).nullable().describe("Its name."),
});

export const getEmailHealth = endpoint(
  {
    id: "getEmailHealth",
    method: "GET",
    path: "/api/people/email/health",
    tag: "Email",
    summary: "What became of all mail, what waits and why",
    description: "Exact at one instant, over all email campaigns of the project.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    result: z
      .object({
        at: epochMs,
        totals: Totals.describe("Since the first campaign."),
        queue: Queue,
        pace: z.object({
          perMinute: count.nullable().describe("Mails that leave a minute at most; null without a limit."),
          domainPerMinute: count.nullable(),
          nextAt: epochMs.nullable().describe("When the next one may leave, where that is later than now."),
        }),
        stops: z
          .array(Stop)
          .max(MOST_STOPS + 1)
          .describe("Why nothing leaves, of all mail or of a campaign."),
      })
      .meta({ id: "EmailHealth" }),
  },
  async ({ app, db, projectId, now }) => {
    const paused = emailPausedBecause(await servingOf(app, projectId));
    return atOneInstant(db, async (tx) => {
      const { refused, ...totals } = await readEmailTotals(tx, projectId);
      const { failed, suppressed, withdrawn, ...queue } = await readEmailQueue(tx, projectId, now);
      const stopped = await listStoppedCampaigns(tx, projectId, MOST_STOPS);
      const paces = await readSome(tx, projectId, emailSettings, [
        "email.perMinute",
        "email.domainPerMinute",
      ]);
      const nextAt = paces["email.perMinute"] === null ? null : await readPace(tx, projectId);
      const billing = { kind: "billing" as const, at: null, campaignId: null, campaignName: null };
      return {
        at: now,
        totals: { ...totals, failed: failed - refused, suppressed, withdrawn },
        queue,
        pace: {
          perMinute: paces["email.perMinute"],
          domainPerMinute: paces["email.domainPerMinute"],
          nextAt: nextAt !== null && nextAt > now ? nextAt : null,
        },
        stops: [
          ...(paused === null ? [] : [{ ...billing, message: paused }]),
          ...stopped
            .filter(({ fault }) => fault !== paused)
            .map(({ fault, at, campaignId, campaignName }) => ({
              kind: "campaign" as const,
              message: fault,
              at,
              campaignName,
              campaignId: apiId("cmp", campaignId),
            })),
        ],
      };
    });
  },
);
