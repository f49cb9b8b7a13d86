import { Stack, Text, TextInput } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { problemOf } from "../../../platform/client.ts";
import { faultAt } from "../../../platform/faults.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { TraceTree } from "../../../ui/audience/trace.tsx";
import type { Expression } from "../../../ui/audience/tree.pure.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { AskUser } from "../../../ui/user/ask-user.tsx";
import { isOfNobody, NobodyHasIt } from "../../../ui/user/nobody.tsx";
import type { CampaignDetail } from "../rules.ts";
import { words } from "../words.ts";
import { delays, type Explanation, expressionOf, type Gate, reasonsOf, stopOf, verdictOf } from "./rules.ts";
import classes from "./why.module.css";

/** What a condition that does not pass does to the campaign. */
const Fails = ({ gate }: { gate: Gate }) => (
  <Text span fw={700} {...(delays(gate) ? {} : { c: "var(--mantine-color-error)" })}>
    {delays(gate) ? words.delays : words.fails}
  </Text>
);

function Answer({ gate }: { gate: Gate }) {
  if (gate.passes === null) return <Text c="dimmed">{words.notAsked}</Text>;
  return gate.passes ? <Text>{words.passes}</Text> : <Fails gate={gate} />;
}

type OfExpression = { expression: Expression | null };

/** What a condition found; of the audience, each condition of it. */
function Found({ gate, expression }: OfExpression & { gate: Gate }) {
  const trace = gate.gate === "audience" ? gate.trace : null;
  return (
    <Stack gap="xs">
      <Text size="sm" className={classes.note}>
        {gate.note}
      </Text>
      {trace !== null && expression !== null && <TraceTree trace={trace} expression={expression} />}
    </Stack>
  );
}

const cellsOf = (gate: Gate, expression: Expression | null) => [
  words.gates[gate.gate],
  <Answer key="answer" gate={gate} />,
  <Found key="found" gate={gate} expression={expression} />,
];

/** The conditions beside the one that is shown, folded: who asks why wants the one. */
function Others({ gates, isAll, expression }: OfExpression & { gates: readonly Gate[]; isAll: boolean }) {
  const stopping = gates.filter(({ passes }) => passes === false).length;
  return (
    <details className={classes.others}>
      <summary>
        {isAll ? words.allConditions(gates.length) : words.otherConditions(gates.length, stopping)}
      </summary>
      <Rows
        heads={[words.condition, words.answer, words.found]}
        rows={gates.map((gate) => ({ id: gate.gate, cells: cellsOf(gate, expression) }))}
      />
    </details>
  );
}

function Explained({ of, expression }: OfExpression & { of: Explanation }) {
  const { channel, gates, userId, evaluatedAt } = of;
  const stop = stopOf(of);
  const verdict = verdictOf(of);
  return (
    <Stack>
      <section className={stop === null ? classes.gets : classes.stops} role="status">
        <Text fw={700} size="lg" className={classes.note}>
          {words.outcome(
            userId,
            verdict === "would_receive" ? words.getsItBy[channel] : words.outcomes[verdict],
          )}
        </Text>
        {reasonsOf(of).map((note) => (
          <Text key={note} className={classes.note}>
            {note}
          </Text>
        ))}
        {stop !== null && (
          <div className={classes.stop}>
            <Text fw={600}>
              {words.gates[stop.gate]} <Fails gate={stop} />
            </Text>
            <Found gate={stop} expression={expression} />
          </div>
        )}
      </section>
      <Others gates={gates.filter((gate) => gate !== stop)} isAll={stop === null} expression={expression} />
      <Text size="sm" c="dimmed">
        {words.evaluatedAt(timeOf(evaluatedAt))}
      </Text>
    </Stack>
  );
}

/** Why one user gets a campaign now, or does not. The question is in the address, so that it can be sent to a colleague. */
export function Why({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const { id, channel } = campaign;
  const [{ user = "", path = "" }, change] = useAddress();
  const explanation = useOperation(
    scope,
    "explainCampaign",
    { path: { id }, body: { userId: user, ...(path !== "" && { path }) } },
    { enabled: user !== "" },
  );
  const { error } = explanation;
  const pathFault = error !== null && faultAt(problemOf(error).message, "path") !== undefined;
  const nobody = (typed: string) => (
    <NobodyHasIt {...{ scope, typed }} choose={({ externalUserId }) => change({ user: externalUserId })} />
  );
  const expression = expressionOf(campaign);
  return (
    <Stack>
      <Text c="dimmed">{words.whyAbout}</Text>
      <AskUser
        user={user}
        more={path}
        ask={(typed, fields) => change({ user: typed, path: String(fields.get("path") ?? "").trim() })}
      >
        {channel === "web_inapp" && (
          <TextInput
            name="path"
            label={words.whyPath}
            description={words.whyPathAbout}
            error={pathFault && words.whyPathFault}
            defaultValue={path}
            maxLength={2_048}
          />
        )}
      </AskUser>
      {user !== "" && isOfNobody(error) && nobody(user)}
      {user !== "" && !isOfNobody(error) && !pathFault && (
        <Loaded of={explanation}>
          {(of) =>
            of.outcome === "unknown_user" ? nobody(of.userId) : <Explained of={of} expression={expression} />
          }
        </Loaded>
      )}
    </Stack>
  );
}
