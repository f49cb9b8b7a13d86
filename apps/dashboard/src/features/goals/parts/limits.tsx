import { Alert, Stack, Text } from "@mantine/core";
import type { Goal } from "../../../platform/api-types.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { GUARDRAILS, type Guardrail } from "../../../ui/guardrails/kinds.ts";
import { guardrailAmount, guardrailName } from "../../../ui/guardrails/names.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { Copied } from "../../../ui/texts/copied.tsx";
import { fieldsOf } from "../guardrails.ts";
import type { EnforcedLimits } from "../rules.ts";
import { words } from "../words.ts";
import { Breaches } from "./breaches.tsx";
import { ObservedLimits } from "./observed-limits.tsx";

type OfGoal = { goal: Goal; limits: EnforcedLimits };

/** What a guardrail allows, in words. */
function allowed(key: Guardrail, value: unknown): string {
  if ((key === "forbiddenPhrases" || key === "allowedHosts") && Array.isArray(value)) return value.join(", ");
  if (key === "quietUntil") return timeOf(new Date(value as string | number).getTime());
  if (typeof value !== "number") return JSON.stringify(value);
  return guardrailAmount(key, value);
}

/** Guardrails that are observed campaign by campaign. */
const OF_CAMPAIGNS: readonly Guardrail[] = [
  ...(["forbiddenPhrases", "allowedHosts", "maxUnsubscribeRate", "maxComplaintRate"] as const),
  ...(["minConversionRate", "minControlShare"] as const),
];

/** What there is now of a guardrail that is about the goal as a whole; nothing for the others. */
function present(key: Guardrail, { goal, limits }: OfGoal): string {
  if (key === "maxActiveCampaigns") return numberOf(limits.activeCampaigns);
  if (key === "errorBudget") return words.verdictsSoFar(limits.errorBudget?.verdicts ?? 0);
  if (OF_CAMPAIGNS.includes(key)) return words.seeBelow;
  const until = goal.guardrails?.quietUntil;
  const isOver = new Date(until as string | number).getTime() <= limits.evaluatedAt;
  return key === "quietUntil" && isOver ? words.passed : "";
}

function LimitsThatAreSet({ goal, limits }: OfGoal) {
  const set = GUARDRAILS.filter((key) => goal.guardrails?.[key] !== undefined);
  const { others } = fieldsOf(goal.guardrails);
  return (
    <Stack>
      {limits.fault !== null && (
        <Alert
          color="red"
          title={words.unreadable(guardrailName(limits.fault.guardrail), limits.fault.message)}
        />
      )}
      {set.length === 0 ? (
        <Stack gap="xs">
          <Text fw={600}>{words.noGuardrails}</Text>
          <Text c="dimmed">{words.noGuardrailsAbout}</Text>
        </Stack>
      ) : (
        <Rows
          heads={[words.limit, words.allowed, words.now]}
          rows={set.map((key) => ({
            id: key,
            cells: [
              <div key="name">
                <Text size="sm" fw={600}>
                  {guardrailName(key)}
                </Text>
                <Text size="sm" c="dimmed">
                  {words.guardrails[key].about}
                </Text>
              </div>,
              <Text key="allowed" size="sm" className={classes.long}>
                {allowed(key, goal.guardrails?.[key])}
              </Text>,
              present(key, { goal, limits }),
            ],
          }))}
        />
      )}
      {others !== "" && (
        <Stack gap="xs">
          <Text size="sm">{words.others}</Text>
          <Copied text={others} label={words.othersLabel} />
        </Stack>
      )}
    </Stack>
  );
}

/** The limits of a goal, what there is now, and what went beyond them. */
export function GoalLimits({ scope, goal }: { scope: string; goal: Goal }) {
  const found = useOperation(scope, "getGoalLimits", { path: { id: goal.id } });
  return (
    <Loaded query={found}>
      {(limits) => (
        <Stack gap="xl">
          <LimitsThatAreSet goal={goal} limits={limits} />
          <ObservedLimits scope={scope} limits={limits} />
          <Breaches scope={scope} breaches={limits.breaches} />
          <Text size="sm" c="dimmed">
            {words.asOf(timeOf(limits.evaluatedAt), zoneName())}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}
