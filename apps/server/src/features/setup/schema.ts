import { z } from "zod";
import { epochMs } from "../../platform/http/contract/fields.ts";

/** What a whole project lacks before anybody gets a message of a channel. */
export const ReachRemark = z.enum([
  "no_page",
  "no_user",
  "no_mail_server",
  "mail_caught",
  "no_address",
  "no_credential",
  "credential_refused",
  "push_caught",
  "no_device",
]);
export type ReachRemark = z.infer<typeof ReachRemark>;

export const reachRemarks = z.array(ReachRemark).max(ReachRemark.options.length);

/** What keeps all users from messages, by channel; an empty list where nothing does. */
export const Reach = z.object({ web_inapp: reachRemarks, email: reachRemarks, push: reachRemarks });
export type Reach = z.infer<typeof Reach>;

/** How far a project is put up. */
export const Setup = z
  .object({
    evaluatedAt: epochMs.describe("The instant of all of it."),
    hasPageView: z.boolean().describe("Whether a page or an app ever came for messages."),
    hasUser: z.boolean().describe("Whether there is a user."),
    hasEvent: z.boolean().describe("Whether a user did something."),
    hasGoal: z.boolean().describe("Whether there is a goal."),
    hasCampaign: z.boolean().describe("Whether there is a campaign."),
    hasSender: z.boolean().describe("Whether mail of campaigns has all that it needs of its sender."),
    reach: Reach.describe(
      "`no_page`: no page ever came for messages. `no_user`: there is no user. `no_mail_server`: mail has no way out. `mail_caught`: mail goes nowhere, because no mail server is named: the outbox keeps it. `no_address`: no user has a trait `email`. `no_credential`: there is no push credential. `credential_refused`: a push provider refuses a credential, so the devices of its app get nothing. `push_caught`: something on this machine stands in for the push provider. `no_device`: no device is registered.",
    ),
  })
  .meta({ id: "Setup" });
export type Setup = z.infer<typeof Setup>;
