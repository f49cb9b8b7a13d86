import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { type DecidedApproval, proposalParts, type WaitingCampaign } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; proposals: readonly DecidedApproval[]; campaigns: readonly WaitingCampaign[] };

/** What people have to decide: proposals first, because their time runs. */
export function WaitingApprovals({ scope, proposals, campaigns }: Props) {
  const ofProposals = proposals.map(({ campaignName, proposal }) => ({
    id: proposal.id,
    cells: [
      <To key="name" scope={scope} path={`approvals/${proposal.id}`}>
        {campaignName}
      </To>,
      words.parts(proposalParts(proposal)),
      timeOf(proposal.createdAt),
      timeOf(proposal.expiresAt),
    ],
  }));
  const ofCampaigns = campaigns.map(({ campaignId, name, createdAt }) => ({
    id: campaignId,
    cells: [
      <To key="name" scope={scope} path={`approvals/campaigns/${campaignId}`}>
        {name}
      </To>,
      words.launchesItself,
      timeOf(createdAt),
      words.noEnd,
    ],
  }));
  const rows = [...ofProposals, ...ofCampaigns];
  return (
    <Section title={words.waiting}>
      {rows.length === 0 ? (
        <Empty title={words.nothingWaits} about={words.nothingWaitsAbout} filtered={null} />
      ) : (
        <Rows heads={[words.campaign, words.what, words.since, words.until]} rows={rows} />
      )}
    </Section>
  );
}
