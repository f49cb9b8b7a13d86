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
  not,
  property,
  trait,
  user,
} from "../../../../../test/audience/trees.ts";
import { contentsOf } from "../../../../../test/contents.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";

const house = testHouse();
const DAY = 86_400_000;

type Question = Input<"checkAudience">["body"];
type Check = Answer<"checkAudience">;

let making: Promise<TestProject> | undefined;
/** A project with the same users for all tests, which change nothing. */
const cast = (): Promise<TestProject> =>
  (making ??= house.project().then(async (project) => {
    await perform(house, project);
    return project;
  }));

const check = ({ api }: TestProject, body: Question) => api.checkAudience({ body });
const namesOf = ({ samples }: Check) => samples.map(({ externalUserId }) => externalUserId);
const remarksOf = ({ diagnostics }: Check) =>
  diagnostics.map(({ severity, code, path, suggestions }) => [severity, code, path, suggestions]);

describe("checkAudience", () => {
  for (const [root, expected] of AUDIENCES) {
    it(`finds ${expected || "nobody"} by ${JSON.stringify(root).slice(0, 100)}`, async () => {
      const found = await check(await cast(), { expression: expression(root), sampleLimit: 25 });
      const names = expected.split(" ").filter((name) => name !== "");
      assert.deepEqual(namesOf(found), names);
      assert.deepEqual(
        [found.matchedCount, found.totalUsers, found.countType, found.evaluatedAt],
        [names.length, NAMES.length, "exact", house.now()],
      );
    });
  }

  it("shows samples with what the audience asks about, and nothing else", async () => {
    const root = all(
      trait("plan", "exists"),
      not(trait("a.b", "exists")),
      event("paid", { window: days(3) }),
      not(event("left")),
    );
    const { samples } = await check(await cast(), { expression: expression(root) });
    const now = house.now();
    assert.deepEqual(samples, [
      {
        externalUserId: "ada",
        firstSeenAt: now - 10 * DAY,
        lastSeenAt: now - DAY / 12,
        // Samples count all occurrences, inside or outside of the window.
        traits: { plan: "pro", "a.b": null },
        events: { paid: 2 },
      },
      {
        externalUserId: "bo",
        firstSeenAt: now - 10 * DAY,
        lastSeenAt: now - DAY / 12,
        traits: { plan: "free" },
        events: { paid: 1 },
      },
    ]);
  });

  it("shows ten samples, or as many as asked for up to 25, and counts them all", async () => {
    const project = await house.project();
    const users = Array.from({ length: 30 }, (_, i) => `user ${i}`);
    await Promise.all(users.map((userId) => project.sdk.identify({ body: { userId } })));
    const everyone = expression(user("firstSeenAt", "exists"));
    for (const [sampleLimit, expected] of [
      [undefined, 10],
      [0, 0],
      [1, 1],
      [25, 25],
    ] as const) {
      const limit = sampleLimit === undefined ? {} : { sampleLimit };
      const { matchedCount, samples } = await check(project, { expression: everyone, ...limit });
      assert.deepEqual([matchedCount, samples.length], [30, expected]);
    }
    for (const sampleLimit of [-1, 26, 1.5, "5", null]) {
      const body = { expression: everyone, sampleLimit } as Question;
      const { status, error } = await refusal(check(project, body));
      assert.deepEqual([status, error.startsWith("sampleLimit must ")], [400, true], error);
    }
  });

  it("counts nobody of another project, and nobody where there is nobody", async () => {
    await cast();
    const empty = await house.project();
    const found = await check(empty, { expression: expression(not(event("paid"))) });
    assert.deepEqual([found.matchedCount, found.totalUsers, found.samples], [0, 0, []]);
  });

  it("takes names that every object inherits for what they are", async () => {
    const project = await house.project();
    for (const [index, name] of ["constructor", "toString", "hasOwnProperty"].entries()) {
      const userId = `user ${index}`;
      await project.sdk.identify({ body: { userId, traits: { [name]: name } } });
      await project.sdk.track({ body: { userId, event: name, props: { [name]: name } } });
      const named = event(name, { where: [property(name, "eq", name)] });
      const found = await check(project, { expression: expression(all(trait(name, "eq", name), named)) });
      assert.deepEqual(
        found.samples.map(({ traits, events }) => [traits, events]),
        [[{ [name]: name }, { [name]: 1 }]],
      );
      assert.deepEqual(found.diagnostics, []);
    }
    for (const name of ["valueOf", "__proto__"]) {
      const found = await check(project, { expression: expression(any(trait(name, "exists"), event(name))) });
      assert.equal(found.matchedCount, 0);
    }
  });

  it("answers the canonical expression with the hash of a segment of it, and saves nothing", async () => {
    const project = await house.project();
    const spelt = expression(all(trait("seats", "in", [3, 1, 3]), event("paid")));
    const { segment } = await project.api.createSegment({ body: { key: "s", name: "S", expression: spelt } });
    const before = await contentsOf(house);
    const found = await check(project, { expression: spelt });
    assert.deepEqual(
      [found.expression, found.expressionHash, found.summary, "segment" in found],
      [segment.expression, segment.expressionHash, segment.summary, false],
    );
    assert.deepEqual(await contentsOf(house), before);
  });

  it("is for the secret key and the agent's", async () => {
    const { agent, sdk } = await cast();
    const body = { expression: expression(event("paid")) };
    assert.equal((await agent.checkAudience({ body })).matchedCount, 2);
    assert.equal((await refusal(sdk.checkAudience({ body }))).status, 403);
  });

  it("says everything that is wrong with an expression, and where", async () => {
    const { api } = await house.project();
    const root = any(trait("plan", "eq"), { kind: "all", children: [] });
    const { status, body } = await refusal(api.checkAudience({ body: { expression: expression(root) } }));
    const { diagnostics } = body as { diagnostics: Check["diagnostics"] };
    assert.deepEqual(
      [status, diagnostics.map(({ code, path }) => [code, path])],
      [
        400,
        [
          ["missing_key", "/root/children/0"],
          ["empty_group", "/root/children/1/children"],
        ],
      ],
    );
  });
});

describe("checkAudience of a segment", () => {
  const onPro = expression(trait("plan", "eq", "pro"));

  it("takes its id or key, and its current version or another, archived too", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const { segment } = await project.api.createSegment({
      body: { key: "vips", name: "V", expression: onPro },
    });
    const body = { expression: expression(not(trait("plan", "eq", "pro"))), expectedVersion: 1 };
    await project.api.updateSegment({ path: { id: "vips" }, body });
    const ask = async () => {
      for (const id of ["vips", segment.id]) {
        for (const [version, used, matched] of [
          [undefined, 2, 0],
          [1, 1, 1],
          [2, 2, 0],
        ] as const) {
          const named = version === undefined ? {} : { version };
          const found = await check(project, { segment: id, ...named });
          assert.deepEqual(found.segment, { id: segment.id, key: "vips", version: used });
          assert.equal(found.matchedCount, matched);
        }
      }
    };
    await ask();
    await project.api.archiveSegment({ path: { id: "vips" } });
    await ask();
  });

  it("is refused where the question is not one", async () => {
    const project = await house.project();
    await project.api.createSegment({ body: { key: "vips", name: "V", expression: onPro } });
    await project.sdk.identify({ body: { userId: "ada" } });
    const one = "exactly one of expression and segment is required";
    const cases: readonly [unknown, number, string | RegExp][] = [
      [{}, 400, one],
      [{ expression: onPro, segment: "vips" }, 400, one],
      [{ expression: null, segment: "vips" }, 400, one],
      [{ expression: onPro, version: 1 }, 400, "version goes with segment"],
      [{ version: 1 }, 400, one],
      [{ segment: "" }, 400, /^segment /],
      [{ segment: 5 }, 400, /^segment /],
      [{ segment: "vips", version: 0 }, 400, /^version /],
      [{ segment: "vips", version: "1" }, 400, /^version /],
      [{ segment: "vips", version: 2 }, 404, "Segment version not found"],
      [{ segment: "seg_vips" }, 404, "Segment not found"],
    ];
    for (const [body, status, message] of cases) {
      const explained = { ...(body as object), userId: "ada" } as Input<"explainAudience">["body"];
      const calls = [
        () => check(project, body as Question),
        () => project.api.explainAudience({ body: explained }),
      ];
      for (const call of calls) {
        const found = await refusal(call());
        assert.equal(found.status, status, JSON.stringify(body));
        if (typeof message === "string") assert.equal(found.error, message);
        else assert.match(found.error, message);
      }
    }
  });
});

describe("checkAudience remarks on", () => {
  const cases: [string, ReturnType<typeof trait>, unknown[]][] = [
    ["nothing that was seen", event("paid", { where: [property("amount", "gt", 5)] }), []],
    [
      "a trait that nobody has, which may be misspelt",
      any(trait("Plan", "exists"), event("paid")),
      [["warning", "unobserved_trait", "/root/children/0/field/key", ["plan"]]],
    ],
    [
      "an event that nobody did",
      any(not(event("oppened")), event("paid")),
      [["warning", "unobserved_event", "/root/children/0/child/event", ["opened"]]],
    ],
    [
      "a name that is like nothing else",
      any(trait("zodiac_sign", "exists"), event("paid")),
      [["warning", "unobserved_trait", "/root/children/0/field/key", undefined]],
    ],
    [
      "a property that the event never came with",
      any(event("paid", { where: [property("ammount", "exists")] }), event("paid")),
      [["warning", "unobserved_property", "/root/children/0/where/0/field/key", ["amount"]]],
    ],
    ["an audience of nobody", trait("plan", "eq", "gold"), [["warning", "zero_matches", "", undefined]]],
    [
      "all of it, in order",
      all(trait("plans", "exists"), event("pad"), event("left", { where: [property("why", "exists")] })),
      [
        ["warning", "unobserved_trait", "/root/children/0/field/key", ["plan"]],
        ["warning", "unobserved_event", "/root/children/1/event", ["paid"]],
        ["warning", "unobserved_property", "/root/children/2/where/0/field/key", undefined],
        ["warning", "zero_matches", "", undefined],
      ],
    ],
  ];
  for (const [name, root, expected] of cases)
    it(name, async () =>
      assert.deepEqual(remarksOf(await check(await cast(), { expression: expression(root) })), expected),
    );

  it("which names were likely meant, of the first five alone", async () => {
    const project = await cast();
    const misspelt = Array.from({ length: 8 }, () => event("oppened"));
    const found = await check(project, { expression: expression(any(...misspelt)) });
    assert.deepEqual(
      found.diagnostics.map(({ suggestions }) => suggestions),
      [...Array(5).fill(["opened"]), undefined, undefined, undefined, undefined],
    );
  });

  it("what only another project has seen", async () => {
    await cast();
    const project = await house.project();
    const found = await check(project, {
      expression: expression(any(trait("plan", "exists"), event("paid"))),
    });
    assert.deepEqual(
      found.diagnostics.map(({ code, suggestions }) => [code, suggestions]),
      [
        ["unobserved_trait", undefined],
        ["unobserved_event", undefined],
        ["zero_matches", undefined],
      ],
    );
  });

  it("names no longer, once they were seen", async () => {
    const project = await house.project();
    const body = {
      expression: expression(
        all(trait("plan", "exists"), event("paid", { where: [property("sum", "exists")] })),
      ),
    };
    const codes = async () => (await check(project, body)).diagnostics.map(({ code }) => code);
    assert.deepEqual(await codes(), ["unobserved_trait", "unobserved_event", "zero_matches"]);
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    assert.deepEqual(await codes(), ["unobserved_trait", "unobserved_property", "zero_matches"]);
    await project.sdk.track({ body: { userId: "ada", event: "paid", props: { sum: 1 } } });
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: null } } });
    assert.deepEqual(await codes(), ["unobserved_trait", "zero_matches"]);
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    assert.deepEqual(await codes(), []);
  });
});
