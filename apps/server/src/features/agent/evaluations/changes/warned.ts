import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { type CampaignRow, warningsOf, warningsOfKinds } from "../../../campaigns/authoring/public.ts";
import { messageKindOf } from "../../../campaigns/authoring/rules.ts";
import { messagesOfSteps } from "../../../journeys/authoring/public.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import { type Changeable, placedMessages } from "./affected.pure.ts";

/** What is likely a slip in the messages that a mutation brings to users, with the places of `placedMessages`, or in the steps of the request. */
export const warningsOfMutation = (
  ctx: Pick<Ctx, "app" | "db" | "projectId">,
  campaign: CampaignRow,
  mutation: HostedMutation,
  changeable: Pick<Changeable, "variants">,
): ReturnType<typeof warningsOf> =>
  mutation.type === "journey"
    ? warningsOfKinds(ctx, messagesOfSteps(mutation.steps, ["mutation", "steps"]))
    : warningsOf(ctx, messageKindOf(campaign), placedMessages(mutation, changeable));
