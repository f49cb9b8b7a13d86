import { uuidFor } from "../../../domain/ids.ts";
import { pairLines, printable } from "../../../platform/cli/command.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { messageTexts } from "../../campaigns/authoring/message/texts.pure.ts";
import { readLaunchRules, viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import type { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import { readApprovalRevision, readCoverage } from "../../launch/public.ts";
import { coverageBlockers, labelOf } from "../../launch/rules.ts";
import { findApproval } from "../store.ts";

const CHANGED =
  "it was changed since it was approved: it does not launch by itself until it is approved again";
const CHANGED_AND_APPROVED = "it was changed since it was approved; the approval stays";

/** What users would read, each text on a line of its own. */
const textLines = ({ channel, variants }: CampaignDetail): string[] =>
  variants.flatMap(({ name, content }) =>
    messageTexts(channel, content).map(({ field, text }) =>
      printable(`  ${name}, ${field}: ${JSON.stringify(text)}`),
    ),
  );

/** What a person has to see before they allow a campaign to launch by itself: a page, or JSON. @throws ConfigError where there is none */
export async function campaignPage(
  { db, projectId, now }: { db: Db; projectId: string; now: number },
  id: string,
  json: boolean,
): Promise<string | object> {
  const uuid = uuidFor("cmp", id);
  const campaign = await viewCampaignDetail(db, projectId, uuid, now);
  if (campaign === null) throw new ConfigError(`There is no campaign ${printable(id)} in this project.`);
  const approval = await findApproval(db, projectId, uuid);
  const blockers = coverageBlockers(await readCoverage({ db, projectId }, uuid));
  const revision = await readApprovalRevision(db, projectId, campaign);
  const { approvedContent } = await readLaunchRules({ db, projectId });
  const approvedBy = approval?.approvedBy ?? null;
  if (json) return { campaign, revision, approvedBy, approvedRevision: approval?.revision ?? null, blockers };
  const head = {
    campaign: campaign.id,
    name: printable(campaign.name),
    status: campaign.effectiveStatus,
    channel: campaign.channel,
    revision,
    ...(approvedBy === null ? {} : { "approved by": printable(approvedBy) }),
    ...(approval === null || approval.revision === revision
      ? {}
      : { note: approvedContent ? CHANGED : CHANGED_AND_APPROVED }),
  };
  return [
    pairLines(head),
    "announces",
    ...campaign.sourceChanges.changes.map((change) => printable(`  ${change.sourceId}: ${labelOf(change)}`)),
    "what users read",
    ...textLines(campaign),
    "waits for",
    ...blockers.map(({ code, detail = "" }) => printable(`  ${code}: ${detail}`)),
    ...(blockers.length === 0 ? ["  no change: all are live"] : []),
  ].join("\n");
}
