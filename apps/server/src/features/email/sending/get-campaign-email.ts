import { z } from "zod";
import { answerIds, pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { count, epochMs } from "../../../platform/http/contract/fields.ts";
import { readAllocation, requireCampaign } from "../../campaigns/authoring/public.ts";
import { readSome } from "../../settings/public.ts";
import { TIMING_KEYS, timingSettings } from "../../timing/settings.pure.ts";
import { wordsOfNow } from "../../timing/wait-words.pure.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { CAP_SETTINGS, postponingCap } from "./gates/cap.ts";
import { readProgress } from "./progress-store.ts";

/** How far the email of a campaign is. The counts from `waiting` to `suppressed` add up to `planned`. */
const CampaignEmail = z
  .object({
    campaignId: answerIds.campaign,
    evaluatedAt: epochMs,
    planned: count.describe("Mails that were queued: one for each user who was found."),
    waiting: count.meta({
      description:
        "Not tried yet, or to be tried again. Of a campaign that has ended they never leave, and are withdrawn within a minute.",
      example: 2,
    }),
    postponed: count.describe(
      "Of `waiting`: leave later, if the campaign still runs and the address still takes mail, which is decided when they are due. The sum of `postponedBy`.",
    ),
    postponedBy: z
      .strictObject({
        localHour: count.describe("For the hour at which the campaign leaves for their reader (`sendTime`)."),
        quiet: count.describe("For the end of their reader's quiet hours (`time.quiet`)."),
        pressure: count.describe(
          "Until their reader bears another message (`pressure.max`, or the limit of the topic).",
        ),
        cap: count.describe(
          "Until `email.capMax` allows it: their address had as many mails, and `email.overCap` is `postpone`.",
        ),
      })
      .describe("What those that are `postponed` wait for."),
    sending: count.describe("On their way at this moment."),
    accepted: count.meta({ description: "Taken by the mail server.", example: 98 }),
    unknown: count.describe(
      "Handed over without an answer. Never sent again by itself: a person decides (`tidings email unknown`).",
    ),
    failed: count.describe("Refused for good, or given up after the last try."),
    frequencyCapped: count.meta({
      description: "Left out for good, because the recipient had as many mails as `email.capMax` allows.",
      example: 1,
    }),
    suppressed: count.describe("Left out because the recipient wants no more email, or does not exist."),
    withdrawn: count.describe(
      "Postponed for longer than the campaign has patience (`patienceHours`), or not sent before it ended: they never leave.",
    ),
    unconfirmed: count.describe(
      "Users of the audience who are not planned: their address came from a publishable key, beyond `identity.newAddressesPerHour`, and waits for your server to name it. As of the last whole pass.",
    ),
    planning: z
      .object({
        passes: count.meta({ description: "How often it went through the audience.", example: 1 }),
        underWay: z.boolean().meta({ description: "Whether it does at this moment.", example: false }),
        nextPassAt: epochMs.nullable().meta({
          description: "When it does next, epoch milliseconds; null where it will not.",
          example: null,
        }),
      })
      .describe(
        "Passes over the audience. While a campaign runs, new users who match are found by the next one; a campaign that is sent `once` has no next one.",
      ),
    fault: z
      .object({
        message: z.string().max(1_000).meta({
          description: "What is wrong, and what to do.",
          example: "The mail server refused the password.",
        }),
        at: epochMs,
      })
      .nullable()
      .describe("Why nothing leaves at the moment."),
  })
  .meta({ id: "CampaignEmail" });

export const getCampaignEmail = endpoint(
  {
    id: "getCampaignEmail",
    method: "GET",
    path: "/api/v1/campaigns/{id}/email",
    tag: "Email",
    summary: "How far the email of a campaign is",
    description: "Exact at one instant. 409 for a campaign of another channel.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.campaign }),
    result: CampaignEmail,
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params }) => {
    const campaign = await requireCampaign(ctx, params.id);
    if (campaign.channel !== "email") throw new ApiError("conflict", "This is not an email campaign.");
    const { db, projectId, now } = ctx;
    const allocation = await readAllocation(db, projectId, campaign.id);
    const settings = await readSome(db, projectId, { ...emailSettings, ...timingSettings }, [
      ...CAP_SETTINGS,
      ...TIMING_KEYS,
    ]);
    // What waits for former rules is decided about anew within a second, or once its campaign runs again.
    const cap = postponingCap(settings);
    const words = [
      ...(cap === null ? [] : [cap]),
      ...(allocation === null ? [] : wordsOfNow(allocation.timing, settings, "email", allocation.topic)),
    ];
    const progress = await readProgress(db, projectId, campaign.id, { words, now });
    return { campaignId: params.id, evaluatedAt: ctx.now, ...progress };
  },
);
