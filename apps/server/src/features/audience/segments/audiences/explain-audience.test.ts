import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { AUDIENCES, NAMES, perform } from "../../../../../test/audience/cast.ts";
import {
  all,
  any,
  days,
  event,
  expression,
  type Node,
  not,
  property,
  trait,
  user,
} from "../../../../../test/audience/trees.ts";
import { contentsOf } from "../../../../../test/contents.ts";
import { launchCampaign, messagesOf, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";

const house = testHouse();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Explanation = Answer<"explainAudience">;

let making: Promise<TestProject> | undefined;
/** A project with the same users for all tests, which change nothing. */
const cast = (): Promise<TestProject> =>
  (making ??= house.project().then(async (project) => {
    await perform(house, project);
    return project;
  }));

const explain = ({ api }: TestProject, userId: string, root: Node): Promise<Explanation> =>
  api.explainAudience({ body: { userId, expression: expression(root) } });

describe("explainAudience", () => {
  it("answers the user and what every node saw of them", async () => {
    const root = all(
      trait("plan", "eq", "pro"),
      not(any(user("lastSeenAt", "within_last", { amount: 1, unit: "hours" }), event("left"))),
      event("paid", {
        count: { op: "gte", value: 2 },
        window: days(2),
        where: [property("amount", "gt", 50)],
      }),
    );
    const now = house.now();
    const project = await cast();
    const found = await explain(project, "ada", root);
    const { expressionHash } = await project.api.checkAudience({ body: { expression: expression(root) } });
    assert.deepEqual(found, {
      user: { externalUserId: "ada", firstSeenAt: now - 10 * DAY, lastSeenAt: now - 2 * HOUR },
      matched: false,
      evaluatedAt: now,
      expressionHash,
      trace: {
        path: "/root",
        kind: "all",
        matched: false,
        children: [
          {
            path: "/root/children/0",
            kind: "field",
            matched: true,
            op: "eq",
            field: { kind: "trait", key: "plan" },
            observed: "pro",
            observedType: "string",
          },
          {
            path: "/root/children/1",
            kind: "not",
            matched: true,
            child: {
              path: "/root/children/1/child",
              kind: "any",
              matched: false,
              children: [
                {
                  path: "/root/children/1/child/children/0",
                  kind: "field",
                  matched: false,
                  field: { kind: "user", field: "lastSeenAt" },
                  op: "within_last",
                  observed: now - 2 * HOUR,
                  observedType: "datetime",
                },
                {
                  path: "/root/children/1/child/children/1",
                  kind: "event",
                  matched: false,
                  event: "left",
                  occurrences: 0,
                  required: { op: "gte", value: 1 },
                  windowCutoff: null,
                },
              ],
            },
          },
          {
            path: "/root/children/2",
            kind: "event",
            matched: false,
            event: "paid",
            occurrences: 1,
            required: { op: "gte", value: 2 },
            windowCutoff: now - 2 * DAY,
          },
        ],
      },
    });
  });

  const observed: readonly [string, Node, Record<string, unknown>][] = [
    [
      "cy",
      trait("trial", "eq", true),
      { observed: null, observedType: "absent", note: 'The user has no trait "trial".' },
    ],
    [
      "ada",
      trait("a.b", "neq", 1),
      { observedType: "null", note: 'The trait "a.b" is null, which counts as absent.' },
    ],
    [
      "bo",
      trait("seats", "gt", 4),
      { observed: "5", note: 'The trait "seats" is of type string; gt compares a number.' },
    ],
    ["ada", trait("tags", "contains", "a"), { observed: null, observedType: "array" }],
    [
      "bo",
      trait("renews", "before", "2026-01-15T12:00:00Z"),
      { observed: "soon", note: 'The trait "renews" is not an ISO-8601 date-time with an offset.' },
    ],
    ["cy", trait("plan", "eq", "pro"), { observed: "Pro", observedType: "string", note: undefined }],
  ];
  for (const [userId, root, expected] of observed) {
    it(`says why ${userId} is not matched by ${JSON.stringify(root).slice(13, 90)}`, async () => {
      const { matched, trace } = await explain(await cast(), userId, root);
      assert.deepEqual([matched, trace.matched], [false, false]);
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(trace[field], value, field);
    });
  }

  it("takes the id in the product and the one of ours, also where the one looks like the other", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const { user: ada } = await project.api.getUser({ path: { id: "ada" } });
    const onPro = trait("plan", "eq", "pro");
    assert.deepEqual(await explain(project, ada.id, onPro), await explain(project, "ada", onPro));
    const odd = `eu_${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`;
    await project.sdk.identify({ body: { userId: odd } });
    assert.equal((await explain(project, odd, onPro)).user.externalUserId, odd);
  });

  it("knows only users of its own project", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await other.sdk.identify({ body: { userId: "ada" } });
    const { user: ada } = await other.api.getUser({ path: { id: "ada" } });
    for (const userId of ["ada", ada.id, "eu_", "eu_019b0000-0000-7000-8000-000000000000", "🎯"]) {
      const { status, error } = await refusal(explain(mine, userId, event("paid")));
      assert.deepEqual([status, error], [404, "User not found"]);
    }
    for (const userId of ["", "x".repeat(257), undefined, 5]) {
      const { status, error } = await refusal(explain(mine, userId as string, event("paid")));
      assert.deepEqual([status, error.startsWith("userId ")], [400, true], error);
    }
  });

  it("explains a version of a segment", async () => {
    const project = await house.project();
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    const body = { key: "payers", name: "Payers", expression: expression(event("paid")) };
    const { segment } = await project.api.createSegment({ body });
    const revision = { expression: expression(not(event("paid"))), expectedVersion: 1 };
    await project.api.updateSegment({ path: { id: "payers" }, body: revision });
    const cases: readonly [Partial<Input<"explainAudience">["body"]>, number, boolean][] = [
      [{ segment: "payers" }, 2, false],
      [{ segment: segment.id, version: 1 }, 1, true],
    ];
    for (const [question, version, expected] of cases) {
      const { matched, segment: named } = await project.agent.explainAudience({
        body: { userId: "ada", ...question },
      });
      assert.deepEqual([matched, named], [expected, { id: segment.id, key: "payers", version }]);
    }
  });

  it("saves nothing", async () => {
    const project = await cast();
    await explain(project, "ada", event("paid"));
    const before = await contentsOf(house);
    await explain(project, "ada", event("paid", { window: days(1) }));
    assert.deepEqual(await contentsOf(house), before);
  });
});

describe("explain, check and the feed", () => {
  it("say the same of everyone at the same instant", async () => {
    const project = await house.project();
    await perform(house, project);
    for (const [index, [root]] of AUDIENCES.entries()) {
      const audience = { kind: "expression" as const, expression: expression(root) };
      await launchCampaign(project, { message: toast(`${index}`), audience });
    }
    // Serving a user makes them known, which changes no result here, because all of these users are known already.
    const fed = new Map<string, Set<unknown>>();
    for (const name of NAMES)
      fed.set(name, new Set((await messagesOf(project, name)).map(({ content }) => content.title)));
    for (const [index, [root]] of AUDIENCES.entries()) {
      const { samples } = await project.api.checkAudience({ body: { expression: expression(root) } });
      const checked = new Set(samples.map(({ externalUserId }) => externalUserId));
      for (const name of NAMES) {
        const { matched, trace } = await explain(project, name, root);
        const answers = [matched, trace.matched, checked.has(name), fed.get(name)?.has(`${index}`)];
        assert.equal(new Set(answers).size, 1, `${name}, ${JSON.stringify(root)}: ${answers}`);
      }
    }
  });
});
