import type { Answer } from "@tidings/client";
import { withNames } from "../../ui/with-names.ts";

export type AgentActivity = Answer<"getAgentActivity">;
export type AgentSettings = Answer<"getAgentSettings">;
export type Planned = Answer<"listEvaluations">["evaluations"][number];
export type Run = Answer<"listAgentRuns">["runs"][number];
export type Replayed = Answer<"replayAgentRun">;
export type RunTranscriptEntry = Answer<"getAgentRunTranscript">["transcript"]["entries"][number];

export type References = NonNullable<Answer<"listAgentRuns">["references"]>;

/** Why a run is as it is, with names in place of the ids of its goal, its campaign and its variants; null where it says nothing. */
export const describeRunReason = (
  { rationale }: Pick<Run, "rationale">,
  { goals, campaigns, variants }: References,
): string | null =>
  rationale === null ? null : withNames(rationale, { ...goals, ...campaigns, ...variants });

/** Kinds of runs that Tidings knows, the most frequent ones first. Programs may log others. */
export const RUN_KINDS = [
  "evaluate",
  "mutate",
  "propose",
  "approval",
  "refused",
  "guardrail",
  "launch",
  "warning",
  "source",
  "observation",
  "conclusion",
] as const;

/** The writers that a run can have. */
export const WRITERS = ["tidings", "agent", "api", "import"] as const;

/** Kinds by which Tidings tells what it did itself, or what people decided. */
const OWN_KINDS: ReadonlySet<string> = new Set([
  "approval",
  "mutate",
  "launch",
  "guardrail",
  "warning",
  "source",
]);

/** Whether a run is of a kind that Tidings writes, but is merely the word of a program. */
export const isMerelyReported = ({ kind, writtenBy }: Pick<Run, "kind" | "writtenBy">): boolean =>
  (writtenBy === "api" || writtenBy === "agent") && OWN_KINDS.has(kind);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MICROS = 1_000_000;

/** An amount in micro-USD, in USD. */
export const usdOf = (micros: number): number => micros / MICROS;

type Message = { role: string; text: string };

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : content === null || content === undefined
      ? ""
      : JSON.stringify(content);

const messageIn = (value: unknown): Message | null =>
  isObject(value) && typeof value.role === "string"
    ? {
        role: value.role,
        text: [textOf(value.content), isObject(value) && value.tool_calls ? textOf(value.tool_calls) : ""]
          .filter((text) => text !== "")
          .join("\n"),
      }
    : null;

/** What is new in an exchange with a model: its last question, and the answer. Null for what no chat looks like. */
export function exchangeOf({ request, response }: RunTranscriptEntry): {
  question: Message | null;
  answered: Message | null;
} {
  const messages = Array.isArray(request.messages) ? request.messages : [];
  const choices: unknown[] = Array.isArray(response.choices) ? response.choices : [];
  const [choice] = choices;
  return {
    question: messageIn(messages.at(-1)),
    answered: isObject(choice) ? messageIn(choice.message) : null,
  };
}
