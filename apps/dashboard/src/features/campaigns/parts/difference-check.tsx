import { Alert, Text } from "@mantine/core";
import type { CampaignDetail, Goal } from "../../../platform/api-types.ts";
import { percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { comparedUsers, differenceOf, estimateControlRate } from "../detectable-difference.pure.ts";

import { words } from "../words.ts";

type Props = {
  scope: string;
  campaign: CampaignDetail;
  /** How many users get it if it is launched now. */
  users: number;
};

/** The share of users whom the goal of the campaign holds out. */
const HeldOut = ({ goal }: { goal: Goal | null }) =>
  goal !== null && goal.holdoutPercent > 0 ? (
    <Text size="sm">{words.holdsOut(goal.holdoutPercent)}</Text>
  ) : null;

function Compared({ scope, campaign, users, goal }: Props & { goal: Goal }) {
  const { id, variants } = campaign;
  const once = { refetchInterval: false } as const;
  const conversions = useOperation(scope, "getGoalConversions", { path: { id: goal.id } }, once);
  const { rate, isAssumed } = estimateControlRate(conversions.data?.holdout.served.matured ?? null);
  const reached = comparedUsers(users, variants);
  const query = { controlRate: rate, exposedPerDay: Math.max(1, reached) };
  const isRateKnown = conversions.data !== undefined || conversions.error !== null;
  const planned = useOperation(
    scope,
    "getCampaignPlan",
    { path: { id }, query },
    { ...once, enabled: isRateKnown },
  );
  // A difference that cannot be computed keeps no person from launching.
  if (planned.data === undefined || planned.isPlaceholderData) return null;
  const found = differenceOf(variants, planned.data.plan, reached);
  const share = percentOf(rate);
  const source = isAssumed ? words.rateAssumed(share) : words.rateKnown(share);
  switch (found.kind) {
    case "alone":
    case "split":
      return <Text size="sm">{words.noComparison[found.kind]}</Text>;
    case "saturated":
      return <Text size="sm">{`${words.noRoom} ${source}`}</Text>;
    case "shows":
      return <Text size="sm">{`${words.canShow(reached, percentOf(found.lift))} ${source}`}</Text>;
    case "lacks":
      return (
        <Alert color="yellow" role="note" title={words.cannotShow(reached)}>
          {`${words.needs(percentOf(found.lift), found.needed)} ${source}`}
        </Alert>
      );
  }
}

/** The users that are held out, and whether those of a campaign are enough to show which text does better. */
export function DifferenceCheck({ scope, campaign, users }: Props) {
  const { goalId, variants } = campaign;
  const found = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  const goal = found.data?.goal ?? null;
  const isAlone = variants.filter(({ weight }) => weight > 0).length < 2;
  return (
    <>
      <HeldOut goal={goal} />
      {isAlone ? (
        <Text size="sm">{words.noComparison.alone}</Text>
      ) : goalId === null || (goal !== null && goal.targetEvent === null) ? (
        <Text size="sm">{goalId === null ? words.noGoalToCompare : words.noEventToCompare}</Text>
      ) : (
        goal !== null && <Compared scope={scope} campaign={campaign} users={users} goal={goal} />
      )}
    </>
  );
}
