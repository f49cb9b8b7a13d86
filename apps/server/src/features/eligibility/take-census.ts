import { apiId } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { MAX_DIAGNOSTICS } from "../audience/language/parse/diagnostics.pure.ts";
import { readStored, UNREADABLE_AUDIENCE } from "../audience/language/parse/stored.pure.ts";
import type { Diagnostic } from "../audience/language/schema.ts";
import { personalFields } from "../campaigns/authoring/message/read-content.pure.ts";
import {
  type CampaignRow,
  findPass,
  listVariants,
  parseContents,
  warningsOfRead,
} from "../campaigns/authoring/public.ts";
import { type CensusVariant, gapsOf } from "../deliveries/census/gaps.pure.ts";
import { countVisitors } from "../deliveries/public.ts";
import { leaverWarnings } from "../email/addresses/public.ts";
import { refusalWarnings } from "../push/sending/public.ts";
import { readSome } from "../settings/public.ts";
import { visitorSettings } from "../users/identities/settings.pure.ts";
import { CHANNELS } from "./channels.ts";
import type { CampaignCensus } from "./schema.ts";

/** What a census says where it counts no user because it cannot know whom the campaign is for. */
const UNREADABLE: Diagnostic = {
  severity: "warning",
  code: "unreadable_audience",
  path: "/audience",
  message: UNREADABLE_AUDIENCE,
};

/** What a census says where it counts visitors whom no request can name. */
const VISITORS_OFF: Diagnostic = {
  severity: "warning",
  code: "visitors_off",
  path: "/visitors",
  message:
    "This project keeps no visitors, so the campaign meets none: switch visitors on (setting visitors.enabled).",
};

/** Warns of a campaign for visitors in a project that keeps none. */
async function visitorWarnings(
  db: Db,
  projectId: string,
  { visitors }: Pick<CampaignRow, "visitors">,
): Promise<Diagnostic[]> {
  if (visitors === "none") return [];
  const { "visitors.enabled": keepsVisitors } = await readSome(db, projectId, visitorSettings, [
    "visitors.enabled",
  ]);
  return keepsVisitors ? [] : [VISITORS_OFF];
}

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
  const contents = await parseContents(
    channel,
    variants.map(({ content }, index) => ({ content, at: ["variants", index, "content"] })),
  );
  const gaps = gapsOf(
    variants,
    contents.map((message) => personalFields(message).map(({ field }) => field)),
  );
  const pass = await findPass(db, projectId, campaign);
  const counts = await CHANNELS[channel].census({
    app,
    db,
    projectId,
    now,
    variants,
    gaps,
    campaign: { ...campaign, pass },
  });
  const { warnings = [] } = await warningsOfRead(ctx, channel, contents);
  const audience = readStored(campaign.audience);
  const left =
    channel === "email" && audience.kind !== "invalid" ? await leaverWarnings(db, projectId, audience) : [];
  const off = await visitorWarnings(db, projectId, campaign);
  const refused = channel === "push" ? await refusalWarnings(ctx, campaign.id) : [];
  return {
    campaignId: apiId("cmp", campaign.id),
    channel,
    at: now,
    ...counts,
    visitors: await countVisitors(db, { projectId, now, campaign: { ...campaign, pass } }),
    reachable: counts.capped + counts.willReceive,
    uncountedFields: gaps.uncounted,
    warnings: [
      ...(audience.kind === "invalid" ? [UNREADABLE] : []),
      ...off,
      ...left,
      ...refused,
      ...warnings,
    ].slice(0, MAX_DIAGNOSTICS),
  };
}

/** The same with the variants of now. */
export const takeCensusNow = async (
  ctx: Parameters<typeof takeCensus>[0],
  campaign: CampaignRow,
): Promise<CampaignCensus> =>
  takeCensus(ctx, campaign, await listVariants(ctx.db, ctx.projectId, campaign.id));
