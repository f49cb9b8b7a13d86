import { Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { Findings } from "../../../ui/findings/findings.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import type { Approval } from "../rules.ts";
import { words } from "../words.ts";

/** Counting takes seconds in a large project, and a page that is read for minutes needs it once. */
const ONCE = { refetchInterval: false } as const;

const NoFindings = () => <Text c="dimmed">{words.noFindings}</Text>;

/** The users that lack what the proposed texts say, and what is likely a slip in them. */
export function ProposedFindings({
  scope,
  approval: { proposal, campaign },
}: {
  scope: string;
  approval: Approval;
}) {
  const census = useOperation(scope, "takeProposalCensus", { path: { id: proposal.id } }, ONCE);
  return (
    <Loaded query={census}>
      {(found) => (
        <Findings scope={scope} census={found} variants={campaign.variants} none={<NoFindings />} />
      )}
    </Loaded>
  );
}

type Draft = { scope: string; campaign: { id: string; variants: readonly { name: string }[] } };

/** The same of the texts that a campaign launches with. */
export function LaunchedFindings({ scope, campaign: { id, variants } }: Draft) {
  const census = useOperation(scope, "takeCampaignCensus", { path: { id } }, ONCE);
  return (
    <Loaded query={census}>
      {(found) => (
        <Findings
          scope={scope}
          census={found}
          variants={variants}
          edit={() => undefined}
          none={<NoFindings />}
        />
      )}
    </Loaded>
  );
}
