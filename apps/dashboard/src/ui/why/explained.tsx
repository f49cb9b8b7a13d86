import { Stack, Text } from "@mantine/core";
import { timeOf } from "../../platform/times.ts";
import { TraceTree } from "../audience/trace.tsx";
import type { Expression } from "../audience/tree.pure.ts";
import { WithCampaigns } from "../campaigns/campaign-names.ts";
import { Rows } from "../lists/rows.tsx";
import { useUserLabel } from "../user/names.ts";
import { delays, type Explanation, type Gate, reasonsOf, stopOf, verdictOf } from "./rules.ts";
import classes from "./why.module.css";
import { words } from "./words.ts";

/** What a condition that does not pass does to the campaign. */
const Fails = ({ gate }: { gate: Gate }) => (
  <Text span fw={700} {...(delays(gate) ? {} : { c: "var(--mantine-color-error)" })}>
    {delays(gate) ? words.delays : words.fails}
  </Text>
);

function Answer({ gate }: { gate: Gate }) {
  if (gate.passes === null) return <Text c="dimmed">{words.notChecked}</Text>;
  return gate.passes ? <Text>{words.passes}</Text> : <Fails gate={gate} />;
}

type OfAudience = { scope: string; expression: Expression | null };

/** What a condition found; of the audience, each condition of it. */
function Found({ scope, gate, expression }: OfAudience & { gate: Gate }) {
  const trace = gate.gate === "audience" ? gate.trace : null;
  return (
    <Stack gap="xs">
      <Text size="sm" className={classes.note}>
        <WithCampaigns scope={scope} text={gate.note} />
      </Text>
      {trace !== null && expression !== null && (
        <TraceTree scope={scope} trace={trace} expression={expression} />
      )}
    </Stack>
  );
}

const cellsOf = (gate: Gate, audience: OfAudience) => [
  words.gates[gate.gate],
  <Answer key="answer" gate={gate} />,
  <Found key="found" gate={gate} {...audience} />,
];

/** The conditions beside the one that is shown, folded: who asks why wants the one. */
function Others({ gates, isAll, ...audience }: OfAudience & { gates: readonly Gate[]; isAll: boolean }) {
  const stopping = gates.filter(({ passes }) => passes === false).length;
  return (
    <details className={classes.others}>
      <summary>
        {isAll ? words.allConditions(gates.length) : words.otherConditions(gates.length, stopping)}
      </summary>
      <Rows
        heads={[words.condition, words.answer, words.found]}
        rows={gates.map((gate) => ({ id: gate.gate, cells: cellsOf(gate, audience) }))}
      />
    </details>
  );
}

/** Why a user gets a campaign, or what stops it first; the other conditions are folded. */
export function Explained({ scope, explanation, expression }: OfAudience & { explanation: Explanation }) {
  const { channel, gates, userId, evaluatedAt } = explanation;
  const label = useUserLabel(scope, userId);
  const stop = stopOf(explanation);
  const verdict = verdictOf(explanation);
  return (
    <Stack>
      <section className={stop === null ? classes.gets : classes.stops} role="status">
        <Text fw={700} size="lg" className={classes.note}>
          {words.outcome(
            label,
            verdict === "would_receive" ? words.getsItBy[channel] : words.outcomes[verdict],
          )}
        </Text>
        {reasonsOf(explanation).map((note) => (
          <Text key={note} className={classes.note}>
            {note}
          </Text>
        ))}
        {stop !== null && (
          <div className={classes.stop}>
            <Text fw={600}>
              {words.gates[stop.gate]} <Fails gate={stop} />
            </Text>
            <Found scope={scope} gate={stop} expression={expression} />
          </div>
        )}
      </section>
      <Others
        scope={scope}
        gates={gates.filter((gate) => gate !== stop)}
        isAll={stop === null}
        expression={expression}
      />
      <Text size="sm" c="dimmed">
        {words.evaluatedAt(timeOf(evaluatedAt))}
      </Text>
    </Stack>
  );
}
