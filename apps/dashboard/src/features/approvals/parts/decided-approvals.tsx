import { Badge, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { timeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { type DecidedApproval, type Proposal, proposalParts } from "../rules.ts";
import { words } from "../words.ts";

const LOOKS: Readonly<Record<Proposal["state"], string>> = {
  pending: "outline",
  approved: "light",
  used: "filled",
  rejected: "default",
  expired: "default",
};

/** What became of a proposal, as a word; the look only helps to find it. */
export const StateBadge = ({
  proposal: { state, status },
}: {
  proposal: Pick<Proposal, "state" | "status">;
}) => (
  <Badge variant={LOOKS[state]}>
    {state === "expired" && status === "approved" ? words.lapsed : words.states[state]}
  </Badge>
);

const cellsOf = (scope: string, { campaignName, proposal }: DecidedApproval) => [
  <To key="name" scope={scope} path={`approvals/${proposal.id}`}>
    {campaignName}
  </To>,
  words.parts(proposalParts(proposal)),
  <StateBadge key="state" proposal={proposal} />,
  proposal.decidedBy ?? words.undecided,
  timeOf(proposal.decidedAt ?? proposal.expiresAt),
  <Text key="reason" size="sm" className={long.long}>
    {proposal.reason}
  </Text>,
];

/** What was decided, or waited too long, newest first. */
export const DecidedApprovals = ({
  scope,
  approvals,
}: {
  scope: string;
  approvals: Answer<"listApprovals">;
}) => (
  <Section title={words.decided}>
    <PagedRows
      paging={approvals}
      heads={[words.campaign, words.what, words.decision, words.by, words.when, words.reason]}
      rows={approvals.decided.map((named) => ({ id: named.proposal.id, cells: cellsOf(scope, named) }))}
      empty={<Text c="dimmed">{words.nothingDecided}</Text>}
    />
  </Section>
);
