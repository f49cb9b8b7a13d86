import { isDeepStrictEqual } from "node:util";
import { counted } from "@tidings/client/text";
import { printable } from "../../../platform/cli/command.ts";
import { audienceInWords, readTexts } from "../../agent/evaluations/proposals/review.pure.ts";
import type { ProposalReview } from "../../agent/evaluations/schema.ts";
import { readAs, shown } from "./shown.ts";

type JourneyReview = NonNullable<ProposalReview["journey"]>;

type ReviewedStep = JourneyReview["after"][number] | JourneyReview["before"][number];
type WaitStep = Extract<ReviewedStep, { kind: "wait" }>;

/** How long users stay at a step. */
function waitInWords({ for: span, until, date }: WaitStep): string {
  if (span !== undefined) return counted(span.amount, span.unit.replace(/s$/, ""));
  if (until !== undefined)
    return `until ${until.at}, ${until.zone}${until.weekdays === undefined ? "" : `, ${until.weekdays.join(" ")}`}`;
  if (date === undefined) return "";
  const { days, trait, at, zone, yearly } = date;
  const side = days < 0 ? "before" : "after";
  return `until ${counted(Math.abs(days), "day")} ${side} ${trait}${yearly === true ? ", each year" : ""}, ${at}, ${zone}`;
}

/** What happens at a step. */
function stepInWords(step: ReviewedStep): string {
  switch (step.kind) {
    case "send":
      return `${step.channel}, ${JSON.stringify(step.name)}`;
    case "wait": {
      const sooner = step.orEvent === undefined ? "" : `, or until ${step.orEvent.event}`;
      return `wait ${waitInWords(step)}${sooner}`;
    }
    case "if":
      return `if ${audienceInWords(step)}; all others go on at ${step.else}`;
    case "split":
      return `split ${step.arms.map(({ name, weight, to }) => `${name} (${weight}) to ${to}`).join(", ")}`;
    case "end":
      return "end";
  }
}

const stepLine = (step: ReviewedStep): string => printable(`${step.id}: ${stepInWords(step)}`);

/** Whether a step is among others as it is. A message that stays is the same whatever becomes of its campaign. */
const isAmong = (step: ReviewedStep, others: readonly ReviewedStep[]): boolean =>
  others.some((each) =>
    step.kind === "send" && each.kind === "send"
      ? step.campaignId !== null && step.campaignId === each.campaignId
      : isDeepStrictEqual(step, each),
  );

type Added = NonNullable<Extract<JourneyReview["after"][number], { kind: "send" }>["added"]>;

/** How a message that is added goes: what its step says of that, and what is as usual where it says nothing. */
const settingLines = (stepId: string, { variants: _, ...settings }: Added): string[] =>
  Object.entries(settings)
    .filter(([, value]) => value !== null)
    .map(([field, value]) => `  ${stepId}, ${field}: ${shown(value)}`);

/** What users read of messages that are added, and how these go. */
const addedLines = ({ after }: JourneyReview): string[] =>
  after.flatMap((step) => {
    if (step.kind !== "send" || step.added === null) return [];
    const { id, channel, added } = step;
    const read = added.variants.flatMap(({ name, content }) =>
      readAs(printable(`${id}, ${name}`), readTexts(channel, content)),
    );
    return [...read, ...settingLines(id, added)];
  });

/** Users who are at a step now, and what becomes of them. */
function hereLine({ stepId, users, to }: JourneyReview["here"][number], { after }: JourneyReview): string {
  const isLost = to === null && !after.some(({ id }) => id === stepId);
  const way = isLost
    ? "; it does not say where they go on, and is refused while they are there"
    : to === null
      ? ""
      : `, go on at ${to}`;
  return `  ${stepId}: ${counted(users, "user")}${way}`;
}

/** The steps of a journey before and after, with who is where. A step that goes has `-` before it, one that comes has `+`. */
export function journeyLines(journey: JourneyReview): string[] {
  const { before, after, here, newHosts } = journey;
  const texts = addedLines(journey);
  return [
    printable(`journey ${journey.name} (${journey.id}), ${journey.status}, version ${journey.version}`),
    "steps before",
    ...before.map((step) => `  ${isAmong(step, after) ? " " : "-"} ${stepLine(step)}`),
    "steps after",
    ...after.map((step) => `  ${isAmong(step, before) ? " " : "+"} ${stepLine(step)}`),
    ...(here.length === 0 ? [] : ["users who are there now"]),
    ...here.map((each) => hereLine(each, journey)),
    ...(texts.length === 0 ? [] : ["what users read of messages that are added", ...texts]),
    ...(newHosts.length === 0 ? [] : ["links to hosts that this journey has not used"]),
    ...newHosts.map(({ stepId, variant, field, host }) =>
      printable(`  ${host}  in ${stepId}, ${variant}, ${field}`),
    ),
  ];
}
