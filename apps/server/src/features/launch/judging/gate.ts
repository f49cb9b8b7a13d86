import type { Launching } from "../../campaigns/authoring/public.ts";
import type { Blocker } from "../../campaigns/authoring/schema.ts";
import { coverageBlockers } from "../rules.ts";
import { readCoverage } from "./facts.ts";

/** Which declared changes of a campaign (UUID) are not live, and where. Every launch waits for them, a later one too. */
export const coverageOf = async (ctx: Launching, campaignId: string): Promise<readonly Blocker[]> =>
  coverageBlockers(await readCoverage(ctx, campaignId));
