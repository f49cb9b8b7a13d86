import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { isSameJson } from "../../../../platform/text/canonical.ts";
import { type CampaignRow, readMessage } from "../../../campaigns/authoring/public.ts";
import { messageKindOf } from "../../../campaigns/authoring/rules.ts";
import { hasStepsOf } from "../../../journeys/authoring/public.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import type { LockedEvaluation } from "./act.ts";
import { type Changeable, setFields } from "./affected.pure.ts";

type Variant = Changeable["variants"][number];
type Patch = NonNullable<Extract<HostedMutation, { type: "update" }>["variants"]>[number];

/** Whether a variant says what a message says, once it is read as it was when it was applied. */
export async function hasMessage(
  campaign: Pick<CampaignRow, "channel" | "purpose">,
  { content }: { content: unknown },
  message: unknown,
): Promise<boolean> {
  try {
    return isSameJson(await readMessage(messageKindOf(campaign), message, []), content);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function isAs(campaign: CampaignRow, variant: Variant | undefined, patch: Patch): Promise<boolean> {
  const { name, weight, message } = patch;
  if (variant === undefined) return false;
  if (name !== undefined && variant.name !== name) return false;
  if (weight !== undefined && variant.weight !== weight) return false;
  return message === undefined || (await hasMessage(campaign, variant, message));
}

/** Whether a campaign still is what a change that was applied made of it, in every field that the change sets. */
export async function isInPlace(
  within: Pick<Ctx, "db" | "projectId">,
  mutation: HostedMutation,
  { campaign, changeable, journey }: Pick<LockedEvaluation, "campaign" | "changeable" | "journey">,
): Promise<boolean> {
  const { name, status, variants } = changeable;
  if (mutation.type === "journey")
    return journey !== null && (await hasStepsOf(within, journey, mutation.expectedVersion + 1));
  if (mutation.type === "status") return setFields(mutation).status === status;
  if (mutation.name !== undefined && mutation.name !== name) return false;
  for (const patch of mutation.variants ?? [])
    if (
      !(await isAs(
        campaign,
        variants.find(({ id }) => id === patch.id),
        patch,
      ))
    )
      return false;
  return true;
}

/** The ids of the variants that a change gives another text than they have. */
export async function editedBy(
  mutation: HostedMutation,
  campaign: CampaignRow,
  variants: Changeable["variants"],
): Promise<Set<string>> {
  const edited = new Set<string>();
  if (mutation.type !== "update") return edited;
  for (const { id, message } of mutation.variants ?? []) {
    const variant = variants.find((each) => each.id === id);
    if (variant !== undefined && message !== undefined && !(await hasMessage(campaign, variant, message)))
      edited.add(id);
  }
  return edited;
}
