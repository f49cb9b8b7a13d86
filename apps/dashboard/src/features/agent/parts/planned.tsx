import { Badge, Group, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { spanOf } from "../../../ui/texts/span.ts";
import { To } from "../../../ui/to.tsx";
import type { Planned } from "../rules.ts";
import { words } from "../words.ts";
import { EvaluationPlan } from "./evaluation-plan.tsx";

const PER_PAGE = 25;
const LOOKS: Readonly<Record<Planned["place"], string>> = {
  planned: "default",
  due: "filled",
  evaluating: "light",
  awaiting_decision: "outline",
  resting: "default",
};

function StateOf({
  scope,
  planned: { place, dueSince, leasedUntil, proposalId },
}: {
  scope: string;
  planned: Planned;
}) {
  const badge = <Badge variant={LOOKS[place]}>{words.places[place]}</Badge>;
  return (
    <>
      {proposalId === null ? (
        badge
      ) : (
        <To scope={scope} path={`approvals/${proposalId}`}>
          {words.places.awaiting_decision}
        </To>
      )}
      {dueSince !== null && (
        <Text size="sm" c="dimmed">
          {words.dueFor(spanOf(Date.now() - dueSince))}
        </Text>
      )}
      {place === "evaluating" && leasedUntil !== null && (
        <Text size="sm" c="dimmed">
          {words.until(timeOf(leasedUntil))}
        </Text>
      )}
    </>
  );
}

const cellsOf = (scope: string, planned: Planned) => [
  <To key="name" scope={scope} path={`campaigns/${planned.campaignId}`}>
    {planned.name}
  </To>,
  planned.goalId === null ? (
    words.noGoal
  ) : (
    <To key="goal" scope={scope} path={`goals/${planned.goalId}`}>
      {planned.goalName}
    </To>
  ),
  <StateOf key="state" scope={scope} planned={planned} />,
  <Group key="next" gap="sm">
    <Text size="sm">{planned.nextEvaluationAt === null ? words.none : timeOf(planned.nextEvaluationAt)}</Text>
    <EvaluationPlan scope={scope} campaign={planned} />
  </Group>,
];

/** The campaigns that agents look after, what is next first. */
export function PlannedCampaigns({ scope }: { scope: string }) {
  const [address] = useAddress();
  const evaluations = useOperation(scope, "listEvaluations", {
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Loaded query={evaluations}>
      {(found) => (
        <PagedRows
          paging={found}
          heads={[words.campaign, words.goal, words.place, words.next]}
          rows={found.evaluations.map((each) => ({ id: each.campaignId, cells: cellsOf(scope, each) }))}
          empty={<Empty title={words.noCampaigns} about={words.noCampaignsAbout} filtered={null} />}
        />
      )}
    </Loaded>
  );
}
