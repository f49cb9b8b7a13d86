import type { Answer } from "@tidings/client";

export type Approval = Answer<"getApproval">;
export type Proposal = Approval["proposal"];
export type Named = Answer<"listApprovals">["decided"][number];
export type WaitingCampaign = Answer<"listApprovals">["campaigns"][number];
export type Breach = Answer<"listBreaches">["breaches"][number];

/** What a proposal would do, as the parts of a sentence. */
export type Part = "launch" | "pause" | "end" | "name" | "texts" | "shares" | "names";

/** What a mutation changes, in the order of importance. */
export function partsOf({ mutation }: Pick<Proposal, "mutation">): Part[] {
  if (mutation.type === "status") return [mutation.action];
  const { name, variants = [] } = mutation;
  const parts: Part[] = [];
  if (variants.some(({ message }) => message !== undefined)) parts.push("texts");
  if (variants.some(({ weight }) => weight !== undefined)) parts.push("shares");
  if (variants.some((variant) => variant.name !== undefined)) parts.push("names");
  if (name !== undefined) parts.push("name");
  return parts;
}

/** Whether people can still decide it. */
export const isOpen = ({ state }: Pick<Proposal, "state">): boolean => state === "pending";

/** The name of a variant by its id. */
export const variantName = (variants: readonly { id: string; name: string }[], id: string): string =>
  variants.find((variant) => variant.id === id)?.name ?? id;

/** Drafts that wait to be allowed, and those that may launch by themselves. */
export const byApproval = (campaigns: readonly WaitingCampaign[]) => ({
  pending: campaigns.filter(({ step }) => step === "approve"),
  approved: campaigns.filter(({ approvedBy, mode }) => approvedBy !== null && mode === "automatic"),
});

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
