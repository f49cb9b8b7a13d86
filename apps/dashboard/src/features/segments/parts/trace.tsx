import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { Answer } from "@tidings/client";
import type { FormEvent } from "react";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { nodeAt, sentenceOf } from "../../../ui/audience/sentences.pure.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { observedOf, type Segment, type Trace } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./trace.module.css";

type Explanation = Answer<"explainAudience">;
/** From this many occurrences on, the server says "at least". */
const MANY = 10_001;

function timesOf(count: number): string {
  if (count === 0) return words.didNever;
  if (count === 1) return words.didOnce;
  return words.did(count >= MANY ? words.atLeast(numberOf(count)) : numberOf(count));
}

/** What one condition saw of the user, in words; nothing for a group. */
function sawOf(trace: Trace): string | null {
  if (trace.kind === "event") {
    const { occurrences, windowCutoff } = trace;
    const since = typeof windowCutoff === "number" ? words.since(timeOf(windowCutoff)) : "";
    return timesOf(Number(occurrences)) + since;
  }
  const observed = observedOf(trace);
  if (observed === null) return null;
  const { value, type, note } = observed;
  if (note !== null) return note;
  if (type === "absent" || type === "null") return words.hasNone;
  if (value === null) return words.hasOther(type);
  return words.has(type === "datetime" ? timeOf(Number(value)) : value);
}

function Line({ trace, segment }: { trace: Trace; segment: Segment }) {
  const node = nodeAt(segment.expression, trace.path);
  const saw = sawOf(trace);
  const parts = trace.children ?? (trace.child === undefined ? [] : [trace.child]);
  return (
    <li className={classes.line}>
      <Text className={classes.condition}>
        <span className={trace.matched ? classes.met : classes.missed} aria-hidden>
          {trace.matched ? words.met : words.missed}
        </span>{" "}
        {node === null ? trace.path : sentenceOf(node)}
        <span className={classes.answer}>{trace.matched ? words.yes : words.no}</span>
      </Text>
      {saw !== null && (
        <Text size="sm" c="dimmed" className={classes.saw}>
          {saw}
        </Text>
      )}
      {parts.length > 0 && (
        <ul className={classes.parts}>
          {parts.map((part) => (
            <Line key={part.path} trace={part} segment={segment} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Explained({ of, segment }: { of: Explanation; segment: Segment }) {
  const { user, matched, trace, evaluatedAt } = of;
  const title = matched ? words.isIn(user.externalUserId) : words.isOut(user.externalUserId);
  return (
    <Stack>
      <Alert color={matched ? "green" : "gray"} title={title}>
        {words.ofVersion(numberOf(segment.currentVersion), timeOf(evaluatedAt), zoneName())}
      </Alert>
      <ul className={classes.parts}>
        <Line trace={trace} segment={segment} />
      </ul>
    </Stack>
  );
}

/** Why one user is in a segment, or is not, condition by condition. The question is in the address. */
export function TraceOf({ scope, segment }: { scope: string; segment: Segment }) {
  const [{ user = "" }, change] = useAddress();
  const explanation = useOperation(
    scope,
    "explainAudience",
    { body: { userId: user, segment: segment.id, version: segment.currentVersion } },
    { enabled: user !== "" },
  );
  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change({ user: String(new FormData(event.currentTarget).get("user") ?? "") });
  };
  return (
    <Stack>
      <Text c="dimmed">{words.traceAbout}</Text>
      {/* The key brings what "back" leads to into the field. */}
      <form onSubmit={ask} key={user}>
        <Group align="flex-start">
          <TextInput
            name="user"
            label={words.user}
            description={words.userAbout}
            defaultValue={user}
            maxLength={256}
            required
          />
          <Button type="submit" className={classes.ask}>
            {words.ask}
          </Button>
        </Group>
      </form>
      {user !== "" && <Loaded of={explanation}>{(of) => <Explained of={of} segment={segment} />}</Loaded>}
    </Stack>
  );
}
