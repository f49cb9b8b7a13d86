import type { Command } from "commander";
import { createTidings } from "../app.ts";
import { commandGroup } from "../domain/command-groups.ts";
import { uuidFor } from "../domain/ids.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import { findProposal } from "../features/agent/evaluations/public.ts";
import { censusOfProposal } from "../features/approvals/public.ts";
import { findCampaign } from "../features/campaigns/authoring/public.ts";
import { findingLines } from "../features/eligibility/findings.pure.ts";
import { takeCensusNow } from "../features/eligibility/public.ts";
import type { CampaignCensus } from "../features/eligibility/schema.ts";
import { printable, say, withDatabase } from "../platform/cli/command.ts";
import { ConfigError } from "../platform/config.ts";
import { atOneInstant } from "../platform/db/at-one-instant.ts";
import type { App } from "../platform/runtime.ts";
import { secretsOnUse } from "../platform/secrets.ts";

/** What may be wrong with the texts of a campaign, or with those that a proposal gives it; null where the project has neither. */
export const checkTexts = (
  { app, projectId }: { app: App; projectId: string },
  id: string,
): Promise<CampaignCensus | null> =>
  atOneInstant(app.database.kysely, async (db) => {
    const ctx = { app, db, projectId, now: app.clock() };
    if (id.startsWith("prop_")) {
      const proposal = await findProposal(db, projectId, uuidFor("prop", id));
      return proposal && censusOfProposal(ctx, proposal);
    }
    const campaign = await findCampaign(db, projectId, uuidFor("cmp", id));
    return campaign && takeCensusNow(ctx, campaign);
  });

/** Adds `launch check` to the command. It needs the whole house, because each channel knows what its messages look like. */
export function addCheckCommand(program: Command): void {
  commandGroup(program, "launch")
    .command("check")
    .description(
      "say who lacks what the texts of a proposal or campaign say, and what is likely a slip in them",
    )
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action((id: string, { project, json }: ProjectOptions) =>
      withDatabase(async ({ database }, config, log) => {
        const { id: projectId } = await chosenProject(database.kysely, project);
        const { app } = createTidings({ config, database, log, secrets: secretsOnUse(config) });
        const found = await checkTexts({ app, projectId }, id);
        if (found === null)
          throw new ConfigError(`The project has no campaign and no proposal ${printable(id)}.`);
        const { missing, uncountedFields, warnings } = found;
        const lines = findingLines(found);
        say(
          json
            ? { missing, uncountedFields, warnings }
            : (lines.length === 0 ? ["Nothing was found."] : lines).map(printable).join("\n"),
        );
      }),
    );
}
