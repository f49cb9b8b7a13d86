import assert from "node:assert/strict";
import { it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { testHouse } from "../../../../test/harness.ts";
import { openBrowser, visitedProject } from "../../../../test/visitors.ts";

const house = testHouse();

it("the statistics of a campaign say how many count twice, because they met it before they signed in as well", async () => {
  const project = await visitedProject(house);
  const { api } = project;
  const { goal } = await api.createGoal({
    body: { name: "Sales", targetEvent: "paid", holdoutPercent: 50 },
  });
  const { id } = await launchCampaign(project, { visitors: "also", goalId: goal.id });
  const mergedOf = async () => {
    const { statistics } = await api.getCampaignConversions({ path: { id }, query: { event: "paid" } });
    return statistics.merged;
  };
  /** Whom the campaign met: shown to, or withheld from. */
  let [exposed, withheld] = [0, 0];
  const count = (isExposed: boolean): void => void (isExposed ? exposed++ : withheld++);
  const meetUser = async (userId: string): Promise<void> => {
    const [message] = await messagesOf(project, userId);
    if (message !== undefined) await feedback(project, message.deliveryId, userId, "shown");
    count(message !== undefined);
  };
  const meetVisitor = async (anonymousId: string) => {
    const browser = openBrowser(project, anonymousId);
    const [message] = await browser.messages();
    if (message !== undefined) await browser.feedback(message.deliveryId, "shown");
    count(message !== undefined);
    return browser;
  };
  for (let n = 0; n < 12; n++) await meetUser(`user-${n}`);
  assert.deepEqual(await mergedOf(), { units: 0, share: 0 });
  // Whose user was not met before: nothing counts twice.
  await (await meetVisitor("first")).signIn("newcomer");
  assert.deepEqual(await mergedOf(), { units: 0, share: 0 });
  for (let n = 0; n < 4; n++) await (await meetVisitor(`b-${n}`)).signIn(`user-${n}`);
  assert.ok(exposed > 0 && withheld > 0);
  assert.deepEqual(await mergedOf(), { units: 4, share: 4 / (exposed + withheld) });
  // What was left of another campaign is not counted here.
  const other = await launchCampaign(project, { visitors: "also", name: "Other" });
  const { statistics } = await api.getCampaignConversions({
    path: { id: other.id },
    query: { event: "paid" },
  });
  assert.deepEqual(statistics.merged, { units: 0, share: 0 });
});
