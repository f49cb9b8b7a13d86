import { apiId } from "../../domain/ids.ts";
import type { Ctx } from "../../platform/http/endpoint.ts";
import {
  type CampaignRow,
  findPass,
  listVariants,
  readContents,
  warningsOfRead,
} from "../campaigns/authoring/public.ts";
import { fieldsIn } from "../campaigns/authoring/read-content.pure.ts";
import { type CensusVariant, gapsOf } from "../deliveries/census/gaps.pure.ts";
import type { Census } from "../deliveries/public.ts";
import { emailCensus } from "../email/sending/public.ts";
import { pushCensus } from "../push/sending/public.ts";
import { webCensus } from "../web/public.ts";
import type { CampaignCensus } from "./schema.ts";

const CENSUSES: Readonly<Record<"web_inapp" | "email" | "push", Census>> = {
  web_inapp: webCensus,
  email: emailCensus,
  push: pushCensus,
};

/**
 * Counts whom a campaign would reach with these variants, and says what is wrong with their messages. `db` of the context reads at one
 * instant.
 */
export async function takeCensus(
  ctx: Pick<Ctx, "app" | "db" | "projectId" | "now">,
  campaign: CampaignRow,
  variants: readonly CensusVariant[],
): Promise<CampaignCensus> {
  const { app, db, projectId, now } = ctx;
  const { channel } = campaign;
  const contents = await readContents(
    channel,
    variants.map(({ content }, index) => ({ content, at: ["variants", index, "content"] })),
  );
  const gaps = gapsOf(
    variants,
    contents.map((message) => fieldsIn(message).map(({ field }) => field)),
  );
  const pass = await findPass(db, projectId, campaign);
  const counts = await CENSUSES[channel]({
    ...{ app, db, projectId, now, variants, gaps },
    campaign: { ...campaign, pass },
  });
  const { warnings = [] } = await warningsOfRead(ctx, channel, contents);
  return {
    ...{ campaignId: apiId("cmp", campaign.id), channel, at: now, ...counts },
    reachable: counts.capped + counts.willReceive,
    uncountedFields: gaps.uncounted,
    warnings,
  };
}

/** The same with the variants of now. */
export const takeCensusNow = async (
  ctx: Parameters<typeof takeCensus>[0],
  campaign: CampaignRow,
): Promise<CampaignCensus> =>
  takeCensus(ctx, campaign, await listVariants(ctx.db, ctx.projectId, campaign.id));
