import type { Answer } from "@tidings/client";
import { percentOf } from "../../platform/figures.ts";
import { words as shared } from "../../ui/preview/words.ts";

export type Approval = Answer<"getApproval">;
export type Proposal = Approval["proposal"];
export type ProposalMessage = Approval["messages"][number];
export type DecidedApproval = Answer<"listApprovals">["decided"][number];
export type WaitingCampaign = Answer<"listApprovals">["campaigns"][number];
export type Breach = Answer<"listBreaches">["breaches"][number];

/** What a proposal would do, as the parts of a sentence. */
export type ProposalPart = "launch" | "pause" | "end" | "name" | "texts" | "shares" | "names" | "steps";

/** What a mutation changes, in the order of importance. */
export function proposalParts({ mutation }: Pick<Proposal, "mutation">): ProposalPart[] {
  if (mutation.type === "status") return [mutation.action];
  if (mutation.type === "journey") return ["steps"];
  const { name, variants = [] } = mutation;
  const parts: ProposalPart[] = [];
  if (variants.some(({ message }) => message !== undefined)) parts.push("texts");
  if (variants.some(({ weight }) => weight !== undefined)) parts.push("shares");
  if (variants.some((variant) => variant.name !== undefined)) parts.push("names");
  if (name !== undefined) parts.push("name");
  return parts;
}

/** Whether people can still decide it. */
export const isDecidable = ({ state }: Pick<Proposal, "state">): boolean => state === "pending";

/** The name of a variant by its id. */
export const variantName = (variants: readonly { id: string; name: string }[], id: string): string =>
  variants.find((variant) => variant.id === id)?.name ?? id;

/** Whether a proposal changes the text of a message, beside its share. */
export const changesText = ({ before, after }: Pick<ProposalMessage, "before" | "after">): boolean =>
  before !== null && JSON.stringify(before) !== JSON.stringify(after);

/** Whether users would read something that they do not read now: after a launch, or another text. */
export const bringsTexts = ({ messages }: Pick<Approval, "messages">): boolean =>
  messages.some((message) => message.before === null || changesText(message));

/** Which share of users a message gets, and which it would get. */
export const shareInWords = ({ before, after }: ProposalMessage["share"]): string =>
  before === after ? shared.share(percentOf(after)) : shared.shares(percentOf(before), percentOf(after));

/** What stands beside each other: a text and what it becomes by themselves, and the others together, in their order. */
export function groupsOf<Shown>(messages: readonly (readonly Shown[])[]): Shown[][] {
  const groups: Shown[][] = [];
  let isOpen = false;
  for (const shown of messages) {
    const isPair = shown.length > 1;
    if (isOpen && !isPair) groups.at(-1)?.push(...shown);
    else groups.push([...shown]);
    isOpen = !isPair;
  }
  return groups;
}

/** Drafts that wait to be allowed, and those that may launch by themselves. */
export const byApproval = (campaigns: readonly WaitingCampaign[]) => ({
  pending: campaigns.filter(({ step }) => step === "approve"),
  approved: campaigns.filter(({ approvedBy, mode }) => approvedBy !== null && mode === "automatic"),
});

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
