import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { claim, makeGoal, propose } from "../../../../test/agent.ts";
import { testHouse } from "../../../../test/harness.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import { approvalPage } from "./page.ts";

const house = testHouse();

type StepBody = Input<"createJourney">["body"]["steps"][number];

const toast = (id: string): StepBody => ({
  id,
  kind: "send",
  channel: "web_inapp",
  message: { presentation: "toast", title: `This is ${id}` },
});
const kept = (id: string): StepBody => ({ id, kind: "send", channel: "web_inapp" });
const onPro: StepBody = {
  id: "plan",
  kind: "if",
  audience: {
    kind: "expression",
    expression: {
      version: 1,
      root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
    },
  },
  else: "end",
};
const paths = (weight: number): StepBody => ({
  id: "paths",
  kind: "split",
  arms: [
    { name: "Short", to: "welcome" },
    { name: "Long", weight, to: "plan" },
  ],
});
const WAITS: StepBody[] = [
  { id: "hours", kind: "wait", for: { amount: 3, unit: "hours" }, orEvent: { event: "paid" } },
  { id: "morning", kind: "wait", until: { at: "09:00", zone: "Europe/Berlin", weekdays: ["mon", "tue"] } },
  { id: "near", kind: "wait", date: { trait: "endsAt", days: -3, at: "10:00", zone: "user" } },
  { id: "birthday", kind: "wait", date: { trait: "born", days: 1, at: "10:00", zone: "UTC", yearly: true } },
];

/** A journey that runs, with what an agent proposes of it, and the lines of the page about that. */
async function proposedSteps(before: StepBody[], after: StepBody[]) {
  const project = await house.project();
  const { id: goalId } = await makeGoal(project);
  const { journey } = await project.api.createJourney({
    body: { name: "Trial", goalId, entry: { on: "request" }, steps: before },
  });
  const path = { id: journey.id };
  await project.api.setJourneyStatus({ path, body: { action: "launch" } });
  const welcome = journey.steps.find(({ id }) => id === "welcome");
  assert.ok(welcome?.kind === "send");
  const id = welcome.campaignId;
  const evaluationAt = house.now();
  await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
  const { leaseToken } = await claim(project, id);
  const mutation = { type: "journey" as const, expectedVersion: 1, steps: after };
  const { proposal } = await propose(project, { id, evaluationAt, leaseToken }, mutation);
  const readLines = async (): Promise<string[]> => {
    const page = await atOneInstant(house.database.kysely, (db) =>
      approvalPage({ db, projectId: project.projectId, now: house.now() }, proposal.id, false),
    );
    return String(page).split("\n");
  };
  return { project, path, readLines };
}

describe("the page of a proposal of other steps", () => {
  it("says of each step what happens there, and marks which come and which go", async () => {
    const { readLines } = await proposedSteps(
      [paths(1), toast("welcome"), { id: "gone", kind: "end" }, onPro],
      [paths(2), kept("welcome"), onPro, ...WAITS, toast("last")],
    );
    const shown = await readLines();
    assert.deepEqual(shown.slice(shown.indexOf("steps before"), shown.indexOf("steps after")), [
      "steps before",
      "  - paths: split Short (1) to welcome, Long (1) to plan",
      '    welcome: web_inapp, "welcome"',
      "  - gone: end",
      '    plan: if trait plan is "pro"; all others go on at end',
    ]);
    assert.deepEqual(shown.slice(shown.indexOf("steps after")), [
      "steps after",
      "  + paths: split Short (1) to welcome, Long (2) to plan",
      '    welcome: web_inapp, "welcome"',
      '    plan: if trait plan is "pro"; all others go on at end',
      "  + hours: wait 3 hours, or until paid",
      "  + morning: wait until 09:00, Europe/Berlin, mon tue",
      "  + near: wait until 3 days before endsAt, 10:00, user",
      "  + birthday: wait until 1 day after born, each year, 10:00, UTC",
      '  + last: web_inapp, "last"',
      "what users read of messages that are added",
      '  last, A, title: "This is last"',
      "  last, priority: 3",
      "  last, patienceHours: 72",
    ]);
    assert.deepEqual(await house.differences(), {});
  });

  it("says of whom nothing is written, who came to a step that goes since it was proposed", async () => {
    const wait: StepBody = { id: "pause", kind: "wait", for: { amount: 1, unit: "days" } };
    const { project, path, readLines } = await proposedSteps([toast("welcome"), wait], [kept("welcome")]);
    await project.api.identify({ body: { userId: "ada" } });
    await project.api.addJourneyEntries({ path, body: { userIds: ["ada"] } });
    await house.drain();
    house.advance(60_000);
    await house.drain();
    const shown = await readLines();
    assert.ok(shown.includes("  - pause: wait 1 day"), shown.join("\n"));
    const [, line] = shown.slice(shown.indexOf("users who are there now"));
    assert.equal(
      line,
      "  pause: 1 user; it does not say where they go on, and is refused while they are there",
    );
  });
});
