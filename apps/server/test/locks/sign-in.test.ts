import { it } from "node:test";
import { uuidOf } from "../../src/domain/ids.ts";
import { personOfUser } from "../../src/features/users/identities/public.ts";
import { mergeWithin } from "../../src/features/visitors/merge-visitor.ts";
import { feedback, messagesOf } from "../factories.ts";
import { testHouse } from "../harness.ts";
import { launchForVisitors, openBrowser, visitedProject } from "../visitors.ts";
import { assertOrder, known, kyselyOf } from "./order.ts";

const house = testHouse();

it("a visitor becomes a user in the order of locks: both of them, deliveries, counters; then what was done", async () => {
  const project = await visitedProject(house);
  const { projectId } = project;
  const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
  const shared = await launchForVisitors(project, { goalId: goal.id });
  const browser = openBrowser(project, "order");
  await browser.track("paid");
  for (const { deliveryId } of await browser.messages()) await browser.feedback(deliveryId, "shown");
  for (const { deliveryId } of await messagesOf(project, "ada"))
    await feedback(project, deliveryId, "ada", "shown");
  const moved = await launchForVisitors(project, { goalId: goal.id });
  for (const { deliveryId } of await browser.messages())
    await browser.feedback(deliveryId, "shown").catch(() => null);
  const [visitor, user] = [personOfUser(projectId, "$anon:order"), personOfUser(projectId, "ada")];
  const persons = [visitor, user].toSorted((a, b) => (a.userKey < b.userKey ? -1 : 1));
  const its = (person: typeof visitor) => ({ lane: person.lane, user_key: person.userKey });
  const deliveryOf = (name: string, person: typeof visitor, campaign: { id: string }) =>
    known(name, "deliveries", { ...its(person), campaign_id: uuidOf("cmp", campaign.id) });
  await assertOrder(
    house,
    (client, app) => mergeWithin(app, kyselyOf(client), { projectId, visitor, user }, house.now()),
    [
      ...persons.map((person, n) => known(`person ${n}`, "users", its(person))),
      ...persons.map((person, n) => deliveryOf(`delivery ${n}`, person, shared)),
      known("counters of the visitor's lane", "campaign_stats", {
        lane: visitor.lane,
        campaign_id: uuidOf("cmp", moved.id),
      }),
      known("event", "events", its(visitor)),
      known("event count", "event_counts", its(visitor)),
    ],
  );
});
