import type { Client, Input } from "@tidings/client";
import type { Snapshot } from "./snapshot.ts";

/** A change of a campaign, as `mutate` takes it. */
export type Mutation = Input<"mutateCampaign">["body"]["mutation"];

/** What a model used, as usage reports take it: token counts of each call. */
export type UsageCall = Extract<Input<"recordAgentUsage">["body"]["calls"], readonly unknown[]>[number];

/** One exchange with a model, with the hash that chains it to the one before. */
export type TranscriptEntry = Input<"putAgentRunTranscript">["body"]["entries"][number];

/** What a policy wants. `reason` is for people, at most 2,000 characters. */
export type Decision = { action: string; mutation: Mutation | null; reason: string };

/** What asking a model used; `isEstimated` where the model did not say, so that it was computed from the bytes. */
export type Usage = { model: string; calls: UsageCall[]; isEstimated: boolean };

/** A decision and how it came about. `usage` is null and `transcript` empty where no model was asked. */
export type Decided = { decision: Decision; usage: Usage | null; transcript: TranscriptEntry[] };

/** What a policy decides from. */
export type Scene = {
  snapshot: Snapshot;
  /** The message of each variant of the snapshot, by variant id. */
  messages: Readonly<Record<string, unknown>>;
  /** For reading. A policy never writes: what it wants is carried out by the runner. */
  api: Client;
  /** Aborted when the runner stops, or the policy's time is over. */
  signal: AbortSignal;
};

/** What decides about a campaign. Its name stands in every run, and with it what the name means: a policy that changes gets a new name. */
export type Policy = {
  name: string;
  /** Whether asking it costs credits, so that it is not asked once the month's limit is reached. */
  usesModel: boolean;
  /** Whether it may launch drafts; else it leaves them alone. */
  launches: boolean;
  /** How long a decision may take, in seconds. */
  maxSeconds: number;
  /** Answers what to do. What cannot be decided is the action `nothing`; it throws only where it was aborted. */
  decide(scene: Scene): Promise<Decided>;
};
