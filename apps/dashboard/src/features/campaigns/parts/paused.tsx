import { Group } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { To } from "../../../ui/to.tsx";
import { namesOf, withNames } from "../../../ui/with-names.ts";

import { words } from "../words.ts";
import { PausedLine } from "./paused-line.tsx";

/** Shows who paused a campaign, when and why, with the ways to the run that says so, and to where a limit is cleared. */
export function Paused({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  if (campaign.status !== "paused") return null;
  const { pausedBy, pausedBecause, variants } = campaign;
  const because = pausedBecause === null ? null : withNames(pausedBecause, namesOf(variants));
  return (
    <Group gap="sm">
      <PausedLine campaign={campaign} because={because} />
      {pausedBy !== null && pausedBy.runId !== null && (
        <To scope={scope} path={`agent/runs/${pausedBy.runId}`}>
          {words.pausedRun}
        </To>
      )}
      {pausedBy?.by === "guardrail" && (
        <To scope={scope} path="approvals">
          {words.decideLimit}
        </To>
      )}
    </Group>
  );
}
