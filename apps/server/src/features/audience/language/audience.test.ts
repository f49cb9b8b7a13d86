import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { compile, type UserFacts } from "./engines/compile.pure.ts";
import { countNodes } from "./rules.ts";
import { type AudienceNode, MAX_CHILDREN, type Targeting } from "./schema.ts";
import { targetingExpression, targetingOf } from "./targeting.pure.ts";

const house = testHouse();

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}_${i}`);
const traitsOf = (count: number): Record<string, number> =>
  Object.fromEntries(names("trait", count).map((name, i) => [name, i]));

const TARGETINGS: readonly Targeting[] = [
  { traits: { plan: "pro" } },
  { traits: { plan: "pro", seats: 5, trial: false, ratio: 0.25, note: "" } },
  { events: { seen: ["signed_up"] } },
  { events: { not_seen: ["churned"] } },
  { traits: { plan: "pro" }, events: { seen: ["a", "b"], not_seen: ["c", "d"] } },
  { traits: { constructor: "x", toString: 1, hasOwnProperty: true } },
  { traits: traitsOf(16) },
  { traits: traitsOf(17) },
  { traits: traitsOf(20), events: { seen: names("seen", 10), not_seen: names("not", 10) } },
];

/** The largest group of a tree. */
const widest = (node: AudienceNode): number =>
  node.kind === "all" || node.kind === "any"
    ? Math.max(node.children.length, ...node.children.map(widest))
    : node.kind === "not"
      ? widest(node.child)
      : 0;

describe("expressionOf and targetingOf", () => {
  for (const targeting of TARGETINGS) {
    it(`say the same of ${JSON.stringify(targeting).slice(0, 60)}`, () => {
      const expression = targetingExpression(targeting);
      assert.ok(expression);
      assert.deepEqual(targetingOf(expression), targeting);
      assert.ok(widest(expression.root) <= MAX_CHILDREN);
    });
  }

  it("have groups of at most 16, however many conditions", () => {
    for (const count of [1, 16, 17, 256, 257, 1_000]) {
      const expression = targetingExpression({ events: { seen: names("e", count) } });
      assert.ok(expression);
      assert.ok(widest(expression.root) <= MAX_CHILDREN);
      assert.deepEqual(targetingOf(expression).events?.seen?.toSorted(), names("e", count).toSorted());
    }
  });

  it("have no expression for everyone", () => {
    for (const targeting of [{}, { traits: {} }, { events: {} }, { events: { seen: [], not_seen: [] } }])
      assert.equal(targetingExpression(targeting), null);
  });
});

describe("countNodes", () => {
  it("counts groups and negations", () => {
    const expression = targetingExpression({ traits: { a: 1 }, events: { seen: ["b"], not_seen: ["c"] } });
    assert.ok(expression);
    assert.equal(countNodes(expression.root), 5);
  });
});

describe("compile", () => {
  const matches = (targeting: Targeting, facts: Partial<UserFacts>): boolean => {
    const expression = targetingExpression(targeting);
    const nothing = {
      externalId: "ada",
      traits: {},
      firstSeenAt: null,
      lastSeenAt: null,
      eventCounts: {},
      occurrences: [],
    };
    return expression === null || compile(expression).matches({ ...nothing, ...facts }, house.now());
  };

  const traitCases: readonly [unknown, string | number | boolean, boolean][] = [
    // what the user has, what is asked for, whether it matches
    ["pro", "pro", true],
    ["Pro", "pro", false],
    ["pro ", "pro", false],
    [5, 5, true],
    [5.5, 5.5, true],
    ["5", 5, false],
    [5, "5", false],
    [true, true, true],
    [false, false, true],
    [true, false, false],
    ["true", true, false],
    [1, true, false],
    [0, false, false],
    ["", false, false],
    ["", "", true],
    [null, false, false],
    [null, 0, false],
    [null, "null", false],
    [["pro"], "pro", false],
    [{ plan: "pro" }, "pro", false],
  ];
  for (const [has, wanted, expected] of traitCases) {
    it(`${JSON.stringify(has)} ${expected ? "is" : "is not"} ${JSON.stringify(wanted)}`, () => {
      assert.equal(matches({ traits: { plan: wanted } }, { traits: { plan: has } }), expected);
    });
  }

  it("takes no trait that the user does not have, inherited ones neither", () => {
    for (const key of ["plan", "constructor", "toString", "__proto__"])
      assert.equal(matches({ traits: JSON.parse(`{${JSON.stringify(key)}:"x"}`) }, {}), false, key);
  });

  it("takes a key literally, dots included", () => {
    assert.equal(matches({ traits: { "a.b": 1 } }, { traits: { a: { b: 1 } } }), false);
    assert.equal(matches({ traits: { "a.b": 1 } }, { traits: { "a.b": 1 } }), true);
  });

  it("knows what was seen and what was not", () => {
    const eventCounts = { a: 1, b: 3 };
    assert.equal(matches({ events: { seen: ["a", "b"] } }, { eventCounts }), true);
    assert.equal(matches({ events: { seen: ["a", "c"] } }, { eventCounts }), false);
    assert.equal(matches({ events: { seen: ["A"] } }, { eventCounts }), false);
    assert.equal(matches({ events: { not_seen: ["c", "d"] } }, { eventCounts }), true);
    assert.equal(matches({ events: { not_seen: ["c", "b"] } }, { eventCounts }), false);
    for (const inherited of ["constructor", "toString"]) {
      assert.equal(matches({ events: { seen: [inherited] } }, { eventCounts }), false);
      assert.equal(matches({ events: { not_seen: [inherited] } }, { eventCounts }), true);
    }
  });

  it("asks for every condition, beyond sixteen of them too", () => {
    const traits = traitsOf(40);
    assert.equal(matches({ traits }, { traits }), true);
    for (const key of Object.keys(traits))
      assert.equal(matches({ traits }, { traits: { ...traits, [key]: "other" } }), false, key);
  });
});

describe("targeting of a campaign", () => {
  it("is read back in both forms", async () => {
    const project = await house.project();
    const targeting = { traits: { plan: "pro" }, events: { seen: ["signed_up"], not_seen: ["churned"] } };
    const { audience, ...campaign } = await launchCampaign(project, { targeting });
    assert.deepEqual(campaign.targeting, targeting);
    assert.ok(audience.kind === "expression");
    const { expressionHash, ...rest } = audience;
    assert.match(expressionHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      kind: "expression",
      audienceVersionId: null,
      schemaVersion: 1,
      expression: targetingExpression(targeting),
      summary: 'trait plan is "pro" and performed signed_up and not (performed churned)',
      reason: null,
      legacy: true,
    });
    const listed = (await project.api.listCampaigns()).campaigns[0];
    assert.deepEqual([listed?.audience, listed?.targeting], [audience, targeting]);
  });

  it("has one hash per meaning", async () => {
    const project = await house.project();
    const hashOf = async (targeting: Targeting) => {
      const { audience } = await launchCampaign(project, {
        targeting: targeting as { traits: { plan: string } },
      });
      return audience.kind === "expression" ? audience.expressionHash : null;
    };
    const [a, b, c] = await Promise.all([
      hashOf({ traits: { plan: "pro" } }),
      hashOf({ traits: { plan: "pro" }, events: { seen: [] } }),
      hashOf({ traits: { plan: "free" } }),
    ]);
    assert.equal(a, b);
    assert.notEqual(a, c);
  });

  it("gives way to an audience, and an audience to it", async () => {
    const { api, ...project } = await house.project();
    const { id } = await launchCampaign({ api, ...project }, { audience: { kind: "all", reason: "news" } });
    const change = async (body: Parameters<typeof api.updateCampaign>[0]["body"]) => {
      const { audience, targeting } = (await api.updateCampaign({ path: { id }, body })).campaign;
      return [audience.kind, targeting];
    };
    const targeting = { traits: { plan: "pro" } };
    assert.deepEqual(await change({ targeting }), ["expression", targeting]);
    assert.deepEqual(await change({ audience: { kind: "all" } }), ["all", null]);
    await change({ targeting });
    assert.deepEqual(await change({ targeting: {} }), ["all", null]);
  });

  it("takes 40 conditions and refuses more nodes than an expression may have", async () => {
    const project = await house.project();
    const targeting = { traits: traitsOf(40) };
    const campaign = await launchCampaign(project, { targeting });
    assert.deepEqual(campaign.targeting, targeting);
    const many = { traits: traitsOf(30), events: { not_seen: names("n", 20) } };
    const { status, error } = await refusal(launchCampaign(project, { targeting: many }));
    assert.deepEqual([status, error.startsWith("targeting must ")], [400, true], error);
  });

  it("decides who is served, by what identify and track said", async () => {
    const project = await house.project();
    const { sdk } = project;
    await launchCampaign(project, {
      message: toast("traits"),
      targeting: { traits: { plan: "pro", seats: 5, trial: false } },
    });
    await launchCampaign(project, { message: toast("seen"), targeting: { events: { seen: ["signed_up"] } } });
    await launchCampaign(project, {
      message: toast("not seen"),
      targeting: { events: { not_seen: ["churned"] } },
    });
    const served = async (userId: string) =>
      (await messagesOf(project, userId)).map(({ content }) => content.title).toSorted();
    const traits = { plan: "pro", seats: 5, trial: false };
    await sdk.identify({ body: { userId: "right", traits: { ...traits, more: [1] } } });
    await sdk.identify({ body: { userId: "text", traits: { ...traits, seats: "5" } } });
    await sdk.identify({ body: { userId: "part", traits: { plan: "pro", seats: 5 } } });
    await sdk.track({ body: { userId: "eager", event: "signed_up" } });
    await sdk.track({ body: { userId: "gone", event: "churned" } });
    assert.deepEqual(await served("right"), ["not seen", "traits"]);
    assert.deepEqual(await served("text"), ["not seen"]);
    assert.deepEqual(await served("part"), ["not seen"]);
    assert.deepEqual(await served("stranger"), ["not seen"]);
    assert.deepEqual(await served("eager"), ["not seen", "seen"]);
    assert.deepEqual(await served("gone"), []);
    await sdk.identify({ body: { userId: "part", traits: { trial: false } } });
    assert.deepEqual(await served("part"), ["not seen", "traits"]);
    await sdk.track({ body: { userId: "gone", event: "signed_up" } });
    assert.deepEqual(await served("gone"), ["seen"]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
