import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { conflict, journeyTests, mail, wait } from "../../../../test/journeys.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { uuidOf } from "../../../domain/ids.ts";

const house = testHouse();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { launched, mailOf, mailing, pass } = await journeyTests(house);

type JourneyResults = Answer<"getJourneyResults">;
type StepBody = Input<"createJourney">["body"]["steps"][number];
const arm = (name: string, weight: number, to: string) => ({ name, weight, to });
const split = (...arms: { name: string; weight?: number; isControl?: boolean; to: string }[]): StepBody => ({
  id: "paths",
  kind: "split",
  arms,
});
const done = (id: string): StepBody => ({ id, kind: "end" });

/** Two paths, each of which sends a mail that is called as it is. */
const steps = (short = 1, long = 1): StepBody[] => [
  split(arm("Short", short, "brief"), arm("Long", long, "detailed")),
  mail("brief"),
  done("done"),
  mail("detailed"),
  wait("pause", 1, "hours"),
];
/** The same, as a change: what a step says is at its campaign. */
const changed = (short: number, long: number): StepBody[] =>
  steps(short, long).map((step) =>
    step.kind === "send" ? { id: step.id, kind: "send", channel: "email" } : step,
  );

describe("a split of a journey", () => {
  it("sends each user through one arm, which they keep whatever changes, and counts them", async () => {
    const ids = Array.from({ length: 80 }, (_, index) => `user${index}`);
    const project = await mailing([...ids, "late"]);
    const { api } = project;
    const journey = await launched(project, {
      entry: { on: "request" },
      again: { afterDays: 0 },
      steps: steps(),
    });
    const path = { id: journey.id };
    const add = (userIds: string[]) => api.addJourneyEntries({ path, body: { userIds } });
    await add(ids);
    await pass(5 * MINUTE);
    /** The arms of the entries of each user, from the first on. */
    const armsOf = async () => {
      const { entries, total } = await api.listJourneyEntries({ path, query: { perPage: 100 } });
      assert.equal(entries.length, total);
      const byUser = Map.groupBy(entries.toReversed(), ({ externalUserId }) => externalUserId);
      return new Map([...byUser].map(([id, some]) => [id, some.map((entry) => entry.arm)]));
    };
    const drawn = await armsOf();
    const short = ids.filter((id) => drawn.get(id)?.[0] === "Short");
    assert.ok(short.length > 20 && short.length < 60, `${short.length} of 80`);
    for (const id of ids)
      assert.deepEqual(mailOf(project, id), short.includes(id) ? ["brief"] : ["detailed"], id);
    const first = await api.getJourneyResults({ path });
    assert.deepEqual(first.arms, [
      { name: "Short", entered: short.length },
      { name: "Long", entered: 80 - short.length },
    ]);
    assert.deepEqual([first.steps[0]?.split, first.steps[0]?.here], [80, 0]);
    const explained = await api.explainJourney({ path, body: { userId: short[0] ?? "" } });
    assert.equal(explained.arm, "Short");
    assert.equal(explained.passed.at(-1)?.did, "split");

    await pass(2 * HOUR, HOUR);
    await api.updateJourney({ path, body: { steps: changed(0, 1) } });
    await add(["late"]);
    await add([short[0] ?? "", ids.find((id) => !short.includes(id)) ?? ""]);
    await pass(5 * MINUTE);
    const later = await armsOf();
    assert.deepEqual(later.get("late"), ["Long"]);
    assert.deepEqual(later.get(short[0] ?? ""), ["Short", "Long"], "its arm has no weight any more");
    for (const id of ids.slice(2)) assert.equal(later.get(id)?.[0], drawn.get(id)?.[0]);
    await pass(2 * HOUR, HOUR);
    await api.updateJourney({ path, body: { steps: changed(5, 1) } });
    await add([short[0] ?? ""]);
    assert.deepEqual(
      (await armsOf()).get(short[0] ?? ""),
      ["Short", "Long", "Short"],
      "its first arm is back",
    );
  });

  it("compares its arms by the goal's event, each user by their first entry under its weights and texts", async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `user${index}`);
    const late = Array.from({ length: 10 }, (_, index) => `late${index}`);
    const newest = Array.from({ length: 6 }, (_, index) => `newest${index}`);
    const project = await mailing([...ids, ...late, ...newest]);
    const { api } = project;
    const { goal } = await api.createGoal({
      body: { name: "Sales", targetEvent: "bought", attributionDays: 1 },
    });
    const journey = await launched(project, {
      goalId: goal.id,
      entry: { on: "request" },
      again: { afterDays: 0 },
      exit: { onGoal: false, events: [] },
      steps: steps(),
    });
    const path = { id: journey.id };
    const results = () => api.getJourneyResults({ path });
    const buy = async (some: readonly string[]) => {
      for (const userId of some) await api.track({ body: { userId, event: "bought" } });
      await house.drain();
    };
    const epochs = async () => {
      const { rows } = await house.database.pool.query(
        "select epoch, arm, weight from journey_allocations where journey_id = $1 order by epoch, arm",
        [uuidOf("jrn", journey.id)],
      );
      return rows.map(({ epoch, arm: name, weight }) => `${epoch} ${name} ${weight}`);
    };
    // What they did before they entered is no work of the journey.
    await buy(ids.slice(0, 10));
    house.advance(MINUTE);
    await api.addJourneyEntries({ path, body: { userIds: ids } });
    await pass(5 * MINUTE);
    const { entries } = await api.listJourneyEntries({ path, query: { perPage: 100 } });
    const armOf = new Map(entries.map(({ externalUserId, arm: drawn }) => [externalUserId, drawn]));
    const among = (some: readonly string[], name: string) =>
      some.filter((id) => armOf.get(id) === name).length;
    const buyers = ids.slice(5, 30);
    await buy(buyers);
    const countsOf = async () => {
      const { statistics } = await results();
      return statistics?.arms.map(({ name, matured, pending }) => [
        name,
        [matured.exposedUsers, matured.convertedUsers],
        [pending.exposedUsers, pending.convertedUsers],
      ]);
    };
    const expected = (name: string) => [among(ids, name), among(buyers, name)];
    assert.deepEqual(await countsOf(), [
      ["Short", [0, 0], expected("Short")],
      ["Long", [0, 0], expected("Long")],
    ]);
    await pass(DAY, DAY / 2);
    // Behind the window of a day, and of a second entry.
    await api.addJourneyEntries({ path, body: { userIds: ids.slice(0, 40) } });
    await buy(ids.slice(30, 60));
    const matured = [
      ["Short", expected("Short"), [0, 0]],
      ["Long", expected("Long"), [0, 0]],
    ];
    assert.deepEqual(await countsOf(), matured);
    const { statistics, noStatistics } = await results();
    assert.equal(noStatistics, null);
    assert.deepEqual(
      statistics?.arms.map(({ isControl, comparison }) => [isControl, comparison?.verdict ?? null]),
      [
        [true, null],
        [false, "undecided"],
      ],
    );
    assert.deepEqual(
      statistics?.sampleRatio.arms.map(({ exposedUsers, expectedUsers }) => [exposedUsers, expectedUsers]),
      [
        [among(ids, "Short"), 32],
        [among(ids, "Long"), 32],
      ],
    );
    assert.deepEqual(await epochs(), ["1 Long 1", "1 Short 1"]);

    // Other weights are another epoch at once, and of the same test.
    await api.updateJourney({ path, body: { steps: changed(3, 1) } });
    const second = ["2 Long 1", "2 Short 3"];
    assert.deepEqual(await epochs(), ["1 Long 1", "1 Short 1", ...second]);
    await api.updateJourney({ path, body: { name: "Another name" } });
    assert.equal((await epochs()).length, 4, "a name is no part of an arm");
    await api.addJourneyEntries({ path, body: { userIds: late } });
    await house.drain();
    const total = (found: JourneyResults["statistics"]) =>
      found?.arms.map(({ matured: done, pending }) => done.exposedUsers + pending.exposedUsers);
    assert.equal(
      total((await results()).statistics)?.reduce((sum, users) => sum + users),
      74,
    );

    // Another text of the long arm is one with the next user, and its counting begins anew.
    const step = journey.steps.find(({ id }) => id === "detailed");
    assert.ok(step?.kind === "send");
    const { campaign } = await api.getCampaign({ path: { id: step.campaignId } });
    const [variant] = campaign.variants;
    assert.ok(variant);
    await api.updateCampaign({
      path: { id: campaign.id },
      body: { variants: [{ id: variant.id, message: { subject: "Other", body: "This is other." } }] },
    });
    // Several requests at once find that it is another one, and open one epoch.
    await Promise.all(newest.map((userId) => api.addJourneyEntries({ path, body: { userIds: [userId] } })));
    await house.drain();
    assert.deepEqual((await epochs()).slice(4), ["3 Long 1", "3 Short 3"]);
    const [short, long] = total((await results()).statistics) ?? [];
    const drawn = await Promise.all(
      newest.map(async (userId) => (await api.explainJourney({ path, body: { userId } })).arm),
    );
    assert.equal(long, drawn.filter((name) => name === "Long").length);
    assert.ok((short ?? 0) >= among(ids, "Short"), "the texts of the short arm are what they were");

    // An erased user counts as before.
    const before = (await results()).statistics;
    await api.eraseUser({ path: { id: ids[7] ?? "" } });
    await house.drain();
    assert.deepEqual((await results()).statistics?.arms, before?.arms);
  });

  it("keeps what erased users did, also of those who got no message", async () => {
    const project = await mailing(["ada", "bo"]);
    const { api } = project;
    const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "bought" } });
    const journey = await launched(project, {
      goalId: goal.id,
      entry: { on: "request" },
      steps: [split(arm("None", 1, "end"), arm("Some", 0, "later")), done("done"), mail("later")],
    });
    const path = { id: journey.id };
    await api.addJourneyEntries({ path, body: { userIds: ["ada", "bo"] } });
    await pass(MINUTE);
    await api.track({ body: { userId: "ada", event: "bought" } });
    await house.drain();
    const counted = async () => (await api.getJourneyResults({ path })).statistics?.arms[0]?.pending;
    assert.deepEqual(await counted(), { exposedUsers: 2, convertedUsers: 1 });
    await api.eraseUser({ path: { id: "ada" } });
    await house.drain();
    assert.deepEqual(await counted(), { exposedUsers: 2, convertedUsers: 1 });
  });

  it("goes on with its epoch in another project, where all ids are others", async () => {
    const project = await mailing(["ada"]);
    const { api } = project;
    await api.createSegment({
      body: {
        key: "pro",
        name: "Pro",
        expression: {
          version: 1,
          root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
        },
      },
    });
    const journey = await launched(project, {
      entry: { on: "request" },
      steps: [
        split(arm("Asked", 1, "asks"), arm("None", 1, "end")),
        { id: "asks", kind: "if", audience: { kind: "segment", segment: "pro" }, else: "end" },
        wait("pause", 1, "days"),
      ],
    });
    await api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ["ada"] } });
    await house.drain();
    const { project: copy } = await importText(house, await exportText(house, project.projectId));
    const { journeys } = await copy.api.listJourneys();
    const path = { id: journeys[0]?.id ?? "" };
    await copy.api.setJourneyStatus({ path, body: { action: "launch" } });
    await copy.api.identify({ body: { userId: "bo" } });
    const { results } = await copy.api.addJourneyEntries({ path, body: { userIds: ["bo", "ada"] } });
    assert.deepEqual(
      results.map(({ entered }) => entered),
      [true, false],
    );
    const { rows } = await house.database.pool.query(
      "select max(epoch) as epoch, count(*) as arms from journey_allocations where journey_id = $1",
      [uuidOf("jrn", path.id)],
    );
    assert.deepEqual(rows, [{ epoch: 1, arms: 2 }]);
    const { arms } = await copy.api.getJourneyResults({ path });
    assert.equal(
      arms.reduce((sum, { entered }) => sum + entered, 0),
      2,
    );
  });

  it("says why there is nothing to compare", async () => {
    const project = await mailing([]);
    const { api } = project;
    const reasonOf = async (id: string) => {
      const { statistics, noStatistics } = await api.getJourneyResults({ path: { id } });
      assert.equal(statistics, null);
      return noStatistics;
    };
    const plain = await launched(project, { steps: [mail("welcome")] });
    const aimless = await launched(project, { steps: steps() });
    const { goal } = await api.createGoal({ body: { name: "Someday" } });
    const uncounted = await launched(project, { goalId: goal.id, steps: steps() });
    assert.deepEqual(
      [await reasonOf(plain.id), await reasonOf(aimless.id), await reasonOf(uncounted.id)],
      ["no_split", "no_goal", "no_event"],
    );
  });

  it("refuses what no user could walk, each with its place", async () => {
    const { api } = await mailing([]);
    const refused = async (...given: StepBody[]) => {
      const { status, body } = await refusal(
        api.createJourney({ body: { name: "Trial", entry: { on: "request" }, steps: given } }),
      );
      assert.equal(status, 400);
      return (body as { error: string }).error;
    };
    const two = split(arm("A", 1, "brief"), arm("B", 1, "end"));
    assert.equal(
      await refused(wait("pause", 1, "hours"), two, mail("brief")),
      "steps[1].kind must not be split: only the first step may be one",
    );
    assert.equal(
      await refused(split(arm("A", 1, "brief"), arm("B", 1, "nowhere")), mail("brief")),
      "steps[0].arms[1].to must be the id of a step, or end: nowhere",
    );
    assert.equal(
      await refused(split(arm("A", 1, "paths"), arm("B", 1, "end")), mail("brief")),
      "steps[0].arms[0].to must be a later step: nobody goes back to paths",
    );
    assert.equal(
      await refused(split(arm("A", 1, "brief"), arm("A", 1, "end")), mail("brief")),
      "steps[0].arms must have different names",
    );
    assert.equal(
      await refused(split(arm("A", 0, "brief"), arm("B", 0, "end")), mail("brief")),
      "steps[0].arms must have at least one weight above 0",
    );
    assert.equal(
      await refused(
        split({ name: "A", isControl: true, to: "brief" }, { name: "B", isControl: true, to: "end" }),
        mail("brief"),
      ),
      "steps[0].arms must have exactly one control, not 2",
    );
    assert.match(await refused(split(arm("A", 1, "brief")), mail("brief")), /^steps.0.*arms/);
  });

  it("stays with its arms once the journey was launched", async () => {
    const project = await mailing([]);
    const { api } = project;
    const refused = async (id: string, given: StepBody[]) => {
      const { reason } = await conflict(api.updateJourney({ path: { id }, body: { steps: given } }));
      assert.equal(reason, "launched");
    };
    const { id } = await launched(project, { steps: steps() });
    const [, ...rest] = changed(1, 1);
    const others = (...arms: Parameters<typeof split>) => [split(...arms), ...rest];
    await refused(id, rest);
    await refused(id, others(arm("Short", 1, "brief"), arm("Other", 1, "detailed")));
    await refused(id, others(arm("Short", 1, "brief"), arm("Long", 1, "detailed"), arm("Third", 1, "end")));
    await api.updateJourney({
      path: { id },
      body: { steps: others(arm("Long", 1, "end"), arm("Short", 1, "detailed")) },
    });
    const plain = await launched(project, { name: "Plain", steps: [mail("welcome")] });
    await refused(plain.id, [
      split(arm("A", 1, "welcome"), arm("B", 1, "end")),
      { id: "welcome", kind: "send", channel: "email" },
    ]);
    const { journey: draft } = await api.createJourney({
      body: { name: "Draft", entry: { on: "request" }, steps: steps() },
    });
    await api.updateJourney({ path: { id: draft.id }, body: { steps: rest } });
  });
});
