import type { Command } from "commander";
import { uuidFor } from "../domain/ids.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import { findProposal } from "../features/agent/evaluations/public.ts";
import { censusOfProposal } from "../features/approvals/public.ts";
import { type CampaignRow, findCampaign } from "../features/campaigns/authoring/public.ts";
import { findingLines } from "../features/eligibility/findings.pure.ts";
import { takeCensusNow } from "../features/eligibility/public.ts";
import type { CampaignCensus } from "../features/eligibility/schema.ts";
import { readReach } from "../features/setup/public.ts";
import { reachLines } from "../features/setup/rules.ts";
import type { ReachRemark } from "../features/setup/schema.ts";
import { printable, say } from "../platform/cli/command.ts";
import { commandGroup } from "../platform/cli/command-group.ts";
import { ConfigError } from "../platform/config.ts";
import { atOneInstant } from "../platform/db/transactions/at-one-instant.ts";
import type { App } from "../platform/runtime.ts";
import { withHouse } from "./with-house.ts";

type At = Parameters<typeof takeCensusNow>[0];

/** The census of a campaign, or of the one that a proposal changes, as it would be then; null where there is none. */
async function censusOf(ctx: At, id: string): Promise<(CampaignCensus & { campaign: CampaignRow }) | null> {
  const { db, projectId } = ctx;
  const proposal = id.startsWith("prop_") ? await findProposal(db, projectId, uuidFor("prop", id)) : null;
  const campaign = await findCampaign(db, projectId, proposal?.campaignId ?? uuidFor("cmp", id));
  if (campaign === null) return null;
  const census = await (proposal === null ? takeCensusNow(ctx, campaign) : censusOfProposal(ctx, proposal));
  return { ...census, campaign };
}

type Checked = Pick<CampaignCensus, "missing" | "uncountedFields" | "warnings"> & {
  reach: readonly ReachRemark[];
};

/** What was found of a campaign, in sentences. */
export const checkedLines = (found: Checked): string[] => [
  ...reachLines(found.reach),
  ...findingLines(found),
];

/** The same, and a line where nothing was found. */
export function linesOrNothing(found: Checked | null): string[] {
  const lines = found === null ? [] : checkedLines(found);
  return lines.length === 0 ? ["Nothing was found."] : lines;
}

/**
 * What may be wrong with the texts of a campaign, or with those that a proposal gives it, and what keeps all users from it; null where the
 * project has neither. `ctx` reads at one instant.
 */
export async function findingsOf(ctx: At, id: string): Promise<Checked | null> {
  const census = await censusOf(ctx, id);
  if (census === null) return null;
  const { missing, uncountedFields, warnings } = census;
  return { reach: await readReach(ctx, census.campaign), missing, uncountedFields, warnings };
}

/** The same, at an instant of its own. */
export const checkTexts = (
  { app, projectId }: { app: App; projectId: string },
  id: string,
): Promise<Checked | null> =>
  atOneInstant(app.database.kysely, (db) => findingsOf({ app, db, projectId, now: app.clock() }, id));

/** Adds `launch check` to the command. It needs the whole house, because each channel knows what its messages look like. */
export function addCheckCommand(program: Command): void {
  commandGroup(program, "launch")
    .command("check")
    .description(
      "say why nobody gets a proposal or campaign yet, who lacks what its texts say, and what is likely a slip in them",
    )
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action((id: string, { project, json }: ProjectOptions) =>
      withHouse(async (app) => {
        const { id: projectId } = await chosenProject(app.database.kysely, project);
        const found = await checkTexts({ app, projectId }, id);
        if (found === null)
          throw new ConfigError(`The project has no campaign and no proposal ${printable(id)}.`);
        say(json ? found : linesOrNothing(found).map(printable).join("\n"));
      }),
    );
}
