import { Text } from "@mantine/core";
import { timeOf } from "../../platform/times.ts";
import { useCampaignNames } from "../campaigns/campaign-names.ts";
import type { Names } from "../with-names.ts";
import { isCauseIn, nodeParts, observedOf, type Trace } from "./observed.pure.ts";
import { describeCondition, nodeAt } from "./sentences.pure.ts";
import classes from "./trace.module.css";
import { campaignsOf, type Expression } from "./tree.pure.ts";
import { words } from "./words.ts";

/** From this many occurrences on, the server says "at least". */
const MANY = 10_001;

function timesOf(count: number): string {
  if (count === 0) return words.didNever;
  if (count === 1) return words.didOnce;
  return count >= MANY ? words.didAtLeast(count) : words.did(count);
}

function messagesOf(count: number): string {
  if (count === 0) return words.didNone;
  return count >= MANY ? words.didAtLeastWith(count) : words.didWith(count);
}

/** What one condition saw of the user, in words; nothing for a group. */
function sawOf(trace: Trace): string | null {
  if (trace.kind === "event" || trace.kind === "message") {
    const { occurrences, windowCutoff } = trace;
    const since = typeof windowCutoff === "number" ? words.since(timeOf(windowCutoff)) : "";
    const count = Number(occurrences);
    return (trace.kind === "event" ? timesOf(count) : messagesOf(count)) + since;
  }
  const observed = observedOf(trace);
  if (observed === null) return null;
  const { value, type, note } = observed;
  if (note !== null) return note;
  if (type === "absent" || type === "null") return words.hasNone;
  if (value === null) return words.hasOther(type);
  return words.has(type === "datetime" ? timeOf(Number(value)) : value);
}

type LineProps = { trace: Trace; expression: Expression; names: Names; isCause: boolean };

function Line({ trace, expression, names, isCause }: LineProps) {
  const node = nodeAt(expression, trace.path);
  const saw = sawOf(trace);
  const parts = nodeParts(trace);
  const isGroup = trace.children !== undefined;
  return (
    <li className={classes.line}>
      <Text className={`${classes.condition} ${isCause && !isGroup ? classes.cause : ""}`}>
        <span className={trace.matched ? classes.met : classes.missed} aria-hidden>
          {trace.matched ? words.met : words.missed}
        </span>{" "}
        {node === null ? trace.path : describeCondition(node, names)}
        <span className={classes.answer}>{trace.matched ? words.isMet : words.isMissed}</span>
      </Text>
      {saw !== null && (
        <Text size="sm" c="dimmed" className={classes.saw}>
          {saw}
        </Text>
      )}
      {parts.length > 0 && (
        <ul className={classes.parts}>
          {parts.map((part) => (
            <Line
              key={part.path}
              trace={part}
              expression={expression}
              names={names}
              isCause={isCause && isCauseIn(trace, part)}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

type Props = { scope: string; trace: Trace; expression: Expression };

/** Each condition of an audience with its answer for one user, and what it saw of the user; red where it lies on it that the user is out. */
export function TraceTree({ scope, trace, expression }: Props) {
  const names = useCampaignNames(scope, campaignsOf(expression.root));
  return (
    <ul className={classes.parts}>
      <Line trace={trace} expression={expression} names={names} isCause={!trace.matched} />
    </ul>
  );
}
