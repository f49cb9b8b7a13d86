import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { feedback, launchCampaign, messagesOf, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { journeyTests, mail, wait } from "../../../../../test/journeys.ts";
import { DAY_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();

type Step = Input<"createJourney">["body"]["steps"][number];

const { launched, mailOf, mailing, pass } = await journeyTests(house);

/** A step that shows a message in the product, whose title is its id. */
const shows = (id: string, more: Partial<Extract<Step, { kind: "send" }>> = {}) =>
  ({ id, kind: "send", channel: "web_inapp", message: toast(id), ...more }) as const;

const titlesOf = async (project: TestProject, userId: string, path?: string): Promise<unknown[]> =>
  (await messagesOf(project, userId, path)).map(({ content }) => content.title);

const resultsOf = (project: TestProject, id: string) => project.api.getJourneyResults({ path: { id } });

describe("a step that shows a message in the product", () => {
  it("shows it to who came there alone, who goes on at once, until it is clicked", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id } = await launched(project, {
      steps: [shows("tour"), mail("letter"), wait("pause", 1, "days"), shows("later")],
    });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await house.drain();
    assert.deepEqual([await titlesOf(project, "ada"), await titlesOf(project, "bo")], [["tour"], []]);
    await house.drain();
    assert.deepEqual(mailOf(project, "ada"), ["letter"]);
    const [message] = await messagesOf(project, "ada");
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    assert.deepEqual(await titlesOf(project, "ada"), ["tour"], "shown again until it is resolved");
    await pass(DAY_MS + MINUTE_MS, DAY_MS / 4);
    assert.deepEqual((await titlesOf(project, "ada")).sort(), ["later", "tour"]);
    await feedback(project, message?.deliveryId ?? "", "ada", "clicked");
    assert.deepEqual(await titlesOf(project, "ada"), ["later"], "who is through still sees it");
    const { steps, left } = await resultsOf(project, id);
    assert.deepEqual(
      [left.finished, ...steps.map(({ stepId, sent, here }) => [stepId, sent, here])],
      [1, ["tour", 1, 0], ["letter", 1, 0], ["pause", 0, 0], ["later", 1, 0]],
    );
  });

  it("is over at once for who does what ends the journey, before anything has looked at that", async () => {
    const project = await mailing(["ada"]);
    await launched(project, {
      exit: { onGoal: true, events: [{ event: "subscribed" }] },
      steps: [shows("tour"), wait("pause", 3, "days")],
    });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await house.drain();
    assert.deepEqual(await titlesOf(project, "ada"), ["tour"]);
    await project.api.track({ body: { userId: "ada", event: "subscribed" } });
    assert.deepEqual(await titlesOf(project, "ada"), []);
    await house.drain();
    assert.deepEqual(await titlesOf(project, "ada"), []);
  });

  it("is over for who is taken out, and for all where the journey ends", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id } = await launched(project, { steps: [shows("tour"), wait("pause", 3, "days")] });
    for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
    await house.drain();
    await project.api.removeJourneyEntry({ path: { id }, body: { userId: "ada" } });
    assert.deepEqual([await titlesOf(project, "ada"), await titlesOf(project, "bo")], [[], ["tour"]]);
    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    assert.deepEqual(await titlesOf(project, "bo"), [], "nothing is shown during a pause");
    await project.api.setJourneyStatus({ path: { id }, body: { action: "launch" } });
    assert.deepEqual(await titlesOf(project, "bo"), ["tour"]);
    await project.api.setJourneyStatus({ path: { id }, body: { action: "end" } });
    assert.deepEqual(await titlesOf(project, "bo"), []);
  });

  it("is shown anew to who enters again, under an id of its own, and beside other campaigns", async () => {
    const project = await mailing(["ada"]);
    await launchCampaign(project, { message: toast("To all") });
    const { id } = await launched(project, { again: { afterDays: 1 }, steps: [shows("tour")] });
    const enter = () => project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada"] } });
    const tours = async () =>
      (await messagesOf(project, "ada")).filter(({ content }) => content.title === "tour");
    await enter();
    await house.drain();
    const [first] = await tours();
    await feedback(project, first?.deliveryId ?? "", "ada", "shown");
    await feedback(project, first?.deliveryId ?? "", "ada", "dismissed");
    assert.deepEqual(await titlesOf(project, "ada"), ["To all"]);
    await pass(2 * DAY_MS, DAY_MS);
    await enter();
    await house.drain();
    // A user who has not resolved it comes a third time: there is one message of a step at a time.
    await pass(2 * DAY_MS, DAY_MS);
    await enter();
    await house.drain();
    const found = await tours();
    assert.equal(found.length, 1);
    assert.notEqual(found[0]?.deliveryId, first?.deliveryId);
    await feedback(project, found[0]?.deliveryId ?? "", "ada", "shown");
    await feedback(project, found[0]?.deliveryId ?? "", "ada", "clicked");
    assert.deepEqual(
      (await project.api.listUserDeliveries({ path: { id: "ada" } })).deliveries
        .filter(({ campaignId }) => campaignId === found[0]?.campaignId)
        .map(({ state }) => state)
        .sort(),
      ["clicked", "dismissed", "queued"],
    );
  });

  it("belongs to its pages, which are changed at its campaign", async () => {
    const project = await mailing(["ada"]);
    const { steps } = await launched(project, {
      entry: { on: "event", event: "trial_started" },
      steps: [shows("tour", { pages: ["/pricing"] })],
    });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await house.drain();
    assert.deepEqual(
      [await titlesOf(project, "ada", "/"), await titlesOf(project, "ada", "/pricing")],
      [[], ["tour"]],
    );
    const [step] = steps;
    assert.ok(step?.kind === "send");
    await project.api.updateCampaign({ path: { id: step.campaignId }, body: { pages: ["/home"] } });
    assert.deepEqual(await titlesOf(project, "ada", "/home"), ["tour"]);
    const { status, body } = await refusal(
      project.api.updateCampaign({ path: { id: step.campaignId }, body: { audience: { kind: "all" } } }),
    );
    assert.equal(status, 400);
    assert.match((body as { error: string }).error, /^audience is what the journey/);
  });

  it("is withheld from who the goal holds out, and skipped for whom no text is left, who go on alike", async () => {
    const project = await mailing(["ada", "bo"]);
    const { goal } = await project.api.createGoal({
      body: { name: "Paid", targetEvent: "paid", holdoutPercent: 50 },
    });
    const ids = Array.from({ length: 20 }, (_, at) => `user ${at}`);
    for (const userId of ids) await project.api.identify({ body: { userId, traits: { city: "Bern" } } });
    const { id } = await launched(project, {
      goalId: goal.id,
      entry: { on: "request" },
      steps: [shows("tour"), shows("blank", { message: toast("{{ user.city }}") })],
    });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: [...ids, "bo"] } });
    await pass(2 * MINUTE_MS);
    const { left, steps } = await resultsOf(project, id);
    assert.equal(left.finished, 21);
    const [tour, blank] = steps;
    assert.ok(tour && blank && tour.withheld > 0 && tour.sent > 0);
    assert.equal(tour.sent + tour.withheld, 21);
    assert.equal(blank.skipped, 1);
    let shown = 0;
    for (const userId of ids) {
      const titles = await titlesOf(project, userId);
      assert.ok(
        titles.length === 0 || titles.length === 2,
        "who is held out of one is held out of the other",
      );
      if (titles.length === 2) shown++;
    }
    assert.ok(tour.sent - shown <= 1);
  });

  it("is refused with its place where it has what other channels have", async () => {
    const project = await house.project();
    const refused = async (step: Step) => {
      const { status, body } = await refusal(
        project.api.createJourney({ body: { name: "Trial", entry: { on: "request" }, steps: [step] } }),
      );
      assert.equal(status, 400);
      return (body as { error: string }).error;
    };
    assert.match(await refused(shows("tour", { patienceHours: 3 })), /^steps\[0\]: patienceHours/);
    assert.match(await refused(shows("tour", { message: { subject: "No", body: "Yes" } })), /steps\[0\]/);
    assert.match(await refused({ ...mail("welcome"), pages: ["/"] }), /^steps\[0\]: pages are for web/);
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
