import type { Answer } from "@tidings/client";
import { lineFacts } from "./audience.ts";
import { count } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { listOf, number, row, things } from "./written.ts";

type Journey = Answer<"getJourney">["journey"];
type Step = Journey["steps"][number];
type Entry = Answer<"listJourneyEntries">["entries"][number];

const JOURNEYS_A_PAGE = 25;
const ENTRIES_A_PAGE = 50;

export async function journeysFacts({ truth: { client } }: View): Promise<Facts> {
  const { journeys } = await client.listJourneys();
  return {
    everywhere: [
      ...journeys.flatMap(({ name, steps }) => row(name, { Steps: number(steps.length) })),
      ...listOf(journeys.length, JOURNEYS_A_PAGE),
    ],
  };
}

/** How long users wait, as it is written behind “Wait”. */
function waitOf({ for: span, until, date }: Extract<Step, { kind: "wait" }>): string {
  if (span !== undefined) return things(span.amount, span.unit.slice(0, -1));
  if (until !== undefined) return `until ${until.at} of each reader, on Mon, Tue`;
  if (date === undefined) throw new Error("A wait without an end.");
  const { days = 0, trait, at, zone } = date;
  return `until ${things(Math.abs(days), "day")} before ${trait}, at ${at} in ${zone}, or until they do box_ordered`;
}

/** A step by its place; the journey of the test sends nothing. */
function titleOf(step: Step, index: number): string {
  const title =
    step.kind === "wait"
      ? `Wait ${waitOf(step)}`
      : { if: "If", split: "Split into paths", send: "", end: "End of the journey" }[step.kind];
  return `${index + 1}. ${title}`;
}

/** What a step counts: as many as its entries are. None of them has moved, but for those who went on from the split. */
function countsOf(step: Step, entries: readonly Entry[]): string[] {
  const here = count(entries, ({ stepId, leftAt }) => stepId === step.id && leftAt === null);
  const none = {
    wait: ["Have waited"],
    if: ["Matched", "Went elsewhere"],
    split: [],
    end: [],
    send: [],
  }[step.kind];
  const split = step.kind === "split" ? [`Went on by their path: ${number(entries.length - here)}`] : [];
  return step.kind === "end" ? [] : [`Here: ${number(here)}`, ...none.map((name) => `${name}: 0`), ...split];
}

/** How users entered by the paths of the split, and what is said of them: nothing yet, because all still have time to convert. */
function pathsFacts(steps: readonly Step[], entries: readonly Entry[], days: number): string[] {
  const arms = steps.flatMap((step) => (step.kind === "split" ? step.arms : []));
  const [waits, wait] = ["more waits for its window", "more wait for their window"];
  return [
    `Each user counts once, by their first entry, and converts by the event of the goal within ${things(days, "day")}.`,
    ...arms.flatMap(({ name, weight, isControl }) => {
      const entered = count(entries, ({ arm }) => arm === name);
      return [
        ...row(name, { Weight: number(weight), Entered: number(entered) }),
        ...row(name, {
          Weight: number(weight),
          Users: `0${entered > 0 ? ` / ${things(entered, waits, wait)}` : ""}`,
          Convert: "no users yet",
          ...(!isControl && { "Against the control": "–", Verdict: "… Open" }),
        }),
      ];
    }),
  ];
}

export async function journeyFacts({ truth, names }: View): Promise<Facts> {
  const { client } = truth;
  const path = { id: names.$journeyId ?? "" };
  const { journey } = await client.getJourney({ path });
  const { entries } = await client.listJourneyEntries({ path });
  const { steps, again, version, goalId } = journey;
  const goal = truth.goals.find(({ id }) => id === goalId);
  const inside = count(entries, ({ leftAt }) => leftAt === null);
  const titleAt = (id: string): string => {
    const index = steps.findIndex((each) => each.id === id);
    const step = steps[index];
    if (step === undefined) throw new Error(`There is no step ${id}.`);
    return titleOf(step, index);
  };
  return {
    everywhere: [
      `Made ‹an instant›, launched ‹an instant›, version ${version}`,
      `Users who have left may enter again ${things(again?.afterDays ?? 0, "day")} after they last entered.`,
    ],
    Steps: [
      `Entered: ${number(entries.length)}`,
      `Inside now: ${number(inside)}`,
      `Left: ${number(entries.length - inside)}`,
      ...steps.flatMap((step, index) => [
        titleOf(step, index),
        ...countsOf(step, entries),
        ...(step.kind === "if"
          ? [
              `Everyone else goes to ${titleAt(step.else)}.`,
              `Everyone else of ${titleOf(step, index)} comes here.`,
            ]
          : []),
        ...(step.kind === "split"
          ? step.arms.map(({ name, weight, isControl, to }) => {
              const way = `${name}, with weight ${number(weight)}: goes to ${titleAt(to)}.`;
              return isControl ? `${way} The others are compared with it.` : way;
            })
          : []),
      ]),
    ],
    Paths: pathsFacts(steps, entries, goal?.attributionDays ?? 0),
    Users: [
      ...entries.flatMap(({ externalUserId, stepId }) => {
        const user = truth.users.find((each) => each.externalUserId === externalUserId);
        return row(String(user?.traits.name), { Step: titleAt(stepId) });
      }),
      ...listOf(entries.length, ENTRIES_A_PAGE),
    ],
  };
}

/** The fields of a wait that have figures. */
function fieldsOf({ for: span, until, date }: Extract<Step, { kind: "wait" }>): string[] {
  return [
    ...(span === undefined ? [] : [`[How long]: ${span.amount}`]),
    ...(until === undefined ? [] : [`[Time of the day]: ${until.at}`]),
    ...(date === undefined ? [] : [`[Days]: ${Math.abs(date.days ?? 0)}`, `[Time of the day]: ${date.at}`]),
  ];
}

/** What the form says of the steps of a journey, and of whom they are for. */
export async function journeyEditFacts({ truth, names }: View): Promise<Facts> {
  const { journey } = await truth.client.getJourney({ path: { id: names.$journeyId ?? "" } });
  const all = truth.users.length;
  const kinds = { send: "Send an email", wait: "Wait", if: "If", split: "Split into paths", end: "End" };
  return {
    everywhere: [
      `[Days after they last entered]: ${journey.again?.afterDays}`,
      `${number(all)} of ${number(all)} users`,
      ...journey.steps.flatMap((step, index) => {
        const { audience } = step.kind === "if" ? step : { audience: null };
        const met =
          audience !== null && "expression" in audience ? lineFacts(truth, audience.expression) : [];
        return [
          `${index + 1}. ${kinds[step.kind]}`,
          ...(step.kind === "wait" ? fieldsOf(step) : []),
          ...(step.kind === "split"
            ? step.arms.flatMap(({ weight }, place) => [`Path ${place + 1}`, `[Weight]: ${weight}`])
            : []),
          ...met,
          ...met.map((users) => `${users.split(" ")[0]} of ${number(all)} users`),
        ];
      }),
    ],
  };
}

/** A new journey begins with a message, and lets everyone in. */
export const newJourneyFacts = ({ truth: { users } }: View): Facts => ({
  everywhere: [`${number(users.length)} of ${number(users.length)} users`, "1. Send an email"],
});
