import { Stack, Text, Title } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import { guardrailAmount, guardrailName } from "../../../ui/guardrails/names.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import type { EnforcedLimits } from "../rules.ts";
import { words } from "../words.ts";

type Breach = EnforcedLimits["breaches"][number];

const isOfText = ({ guardrail }: Breach): boolean =>
  guardrail === "forbiddenPhrases" || guardrail === "allowedHosts";

function After({ breach }: { breach: Breach }) {
  const { cleared } = breach;
  if (cleared === null) return <Text size="sm">{isOfText(breach) ? words.mendText : words.stillPaused}</Text>;
  return (
    <>
      <Text size="sm">{words.cleared(cleared.by, timeOf(cleared.at))}</Text>
      <Text size="sm" c="dimmed" className={classes.long}>
        {cleared.reason}
      </Text>
    </>
  );
}

const cellsOf = (scope: string, breach: Breach) => {
  const { campaignId, campaignName, guardrail, limit, observed, rationale, at } = breach;
  return [
    <To key="campaign" scope={scope} path={`campaigns/${campaignId}`}>
      {campaignName}
    </To>,
    <div key="what">
      <Text size="sm">{guardrailName(guardrail)}</Text>
      <Text size="sm" c="dimmed" className={classes.long}>
        {rationale}
      </Text>
    </div>,
    guardrailAmount(guardrail, limit),
    guardrailAmount(guardrail, observed),
    timeOf(at),
    <After key="after" breach={breach} />,
  ];
};

/** Campaigns that were paused for a limit of the goal, and what became of that. */
export function Breaches({ scope, breaches }: { scope: string; breaches: EnforcedLimits["breaches"] }) {
  const isOpen = breaches.some((breach) => breach.cleared === null && !isOfText(breach));
  return (
    <Stack component="section" aria-label={words.breaches} gap="xs">
      <Title order={2} size="h4">
        {words.breaches}
      </Title>
      {breaches.length === 0 ? (
        <Text>{words.noBreaches}</Text>
      ) : (
        <Rows
          heads={[words.campaign, words.what, words.allowed, words.was, words.when, words.after]}
          rows={breaches.map((breach) => ({ id: breach.runId, cells: cellsOf(scope, breach) }))}
        />
      )}
      {isOpen && (
        <Text size="sm">
          {words.clearAbout}{" "}
          <To scope={scope} path="approvals">
            {words.clear}
          </To>
        </Text>
      )}
    </Stack>
  );
}
