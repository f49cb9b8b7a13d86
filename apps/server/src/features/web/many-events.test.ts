import assert from "node:assert/strict";
import { it } from "node:test";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { sharedHouse } from "../../../test/harness.ts";

const house = sharedHouse();

it("an audience counts the events of a user with very many of them, too", async () => {
  const project = await house.project();
  const lately = { window: { amount: 1, unit: "days" as const } };
  const pages = { kind: "event_property" as const, key: "pages" };
  const large = [{ kind: "field" as const, field: pages, op: "gt" as const, value: 99 }];
  const times = (op: "gte" | "lt", value: number, more: typeof lately | { where: typeof large }) => ({
    kind: "expression" as const,
    expression: {
      version: 1 as const,
      root: { kind: "event" as const, event: "report_opened", count: { op, value }, ...more },
    },
  });
  for (const [name, audience] of [
    ["450 lately", times("gte", 450, lately)],
    ["451 lately", times("gte", 451, lately)],
    ["350 large ones", times("gte", 350, { where: large })],
    ["less than 350 large ones", times("lt", 350, { where: large })],
  ] as const)
    await launchCampaign(project, { name, audience, message: { presentation: "toast", title: name } });

  const event = (n: number) => ({
    userId: "ada",
    event: "report_opened",
    props: { pages: n },
    ts: n < 50 ? house.now() - 2 * 86_400_000 : house.now() - n,
  });
  const all = Array.from({ length: 500 }, (_, n) => event(n));
  for (const few of [all.slice(0, 100), all]) {
    const { results } = await project.api.trackBatch({
      body: { events: few.map((each) => ({ ...each, eventId: `e${each.props.pages}` })) },
    });
    assert.ok(results.every(({ ok }) => ok));
    // Of the first hundred, 50 are recent and none is large. Of all, 450 are recent and 400 are large.
    const titles = (await messagesOf(project, "ada")).map(({ content }) => content.title);
    const expected = few === all ? ["350 large ones", "450 lately"] : ["less than 350 large ones"];
    assert.deepEqual(titles.filter((title) => expected.includes(String(title))).toSorted(), expected);
    assert.equal(titles.includes("451 lately"), false);
  }
  const { matched } = await project.api.explainAudience({
    body: { userId: "ada", expression: times("gte", 350, { where: large }).expression },
  });
  assert.equal(matched, true);
});
