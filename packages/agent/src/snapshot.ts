import type { Answer } from "@tidings/client";

type CampaignAnswer = Answer<"getCampaign">["campaign"];
type GoalAnswer = Answer<"getGoal">["goal"];

/** Users, and how many of them converted. */
type Outcome = { exposedUsers: number; convertedUsers: number };

/** A variant as policies see it: numbers, and the hash of what it says. */
export type SnapshotVariant = {
  id: string;
  isControl: boolean;
  weight: number;
  /** SHA-256 of the canonical JSON of its message. */
  contentHash: string;
  /** Null where the goal counts no event. */
  matured: Outcome | null;
  pending: Outcome | null;
  /** With the control; null where there is no comparison. `eValueNeeded` is what a verdict was refused for lately. */
  comparison: {
    eValue: number;
    lower: number;
    upper: number | null;
    verdict: "better" | "worse" | "similar" | "undecided";
    bestChance: number;
    eValueNeeded: number | null;
  } | null;
};

/** A change that was proposed to people before. */
export type PastProposal = {
  id: string;
  evaluationAt: number;
  mutationHash: string;
  state: Answer<"listProposals">["proposals"][number]["state"];
};

/**
 * All that a decision is made from, frozen: what is decided from the same snapshot is the same. Instants in epoch milliseconds, numbers
 * with 12 significant digits. Under 16 KB as canonical JSON.
 */
export type Snapshot = {
  version: 1;
  takenAt: number;
  campaignId: string;
  evaluationAt: number;
  channel: CampaignAnswer["channel"];
  status: CampaignAnswer["effectiveStatus"];
  deliverUntil: number | null;
  goal: {
    id: string;
    targetEvent: string | null;
    attributionDays: number;
    approvalMode: GoalAnswer["approvalMode"];
    /** The goal's guardrails that are numbers. */
    limits: Record<string, number>;
  };
  variants: SnapshotVariant[];
  /** The SHA-256 of the counts, as the API says it; null where the goal counts no event. */
  statistics: string | null;
  sampleRatio: { eValue: number; threshold: number; mismatch: boolean } | null;
  /** When this policy last decided to divide traffic by shares. */
  lastAllocatedAt: number | null;
  /** Changes that were applied in this evaluation before. */
  appliedHashes: string[];
  proposals: PastProposal[];
};
