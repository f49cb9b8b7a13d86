import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, testHouse } from "../../../test/harness.ts";
import {
  basic,
  countsOf,
  identifyCall as identify,
  sendBatch,
  sendTo,
  trackCall as track,
} from "../../../test/intake.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";

const house = testHouse();

const LIBRARY = { library: { name: "test", version: "1" } };

describe("counts", () => {
  it("come to what was sent, by hour", async () => {
    house.at(Date.UTC(2026, 5, 10, 12, 59, 59));
    const project = await house.project();
    const batch = [
      track("paid", { context: LIBRARY }),
      track("", { context: LIBRARY }),
      track("paid", { context: LIBRARY, properties: { big: "x".repeat(5_000) } }),
      identify({}, { context: { library: { name: "other lib" } } }),
      { type: "page", userId: null },
      "no call",
    ];
    for (let n = 0; n < 3; n++) await sendBatch(project, batch);
    const taken = {
      "test track": [6, 3],
      "other lib identify": [3, 0],
      "unknown page": [0, 3],
      "unknown unknown": [0, 3],
    };
    const problems = {
      "test track event_name": [3, []],
      "test track trimmed": [3, ["big"]],
      "unknown page no_user": [3, []],
      "unknown unknown malformed": [3, []],
    };
    assert.deepEqual(await countsOf(project), { calls: taken, problems });
    const { intake } = await project.api.getIntake();
    const sum = intake.calls.reduce((all, each) => all + each.taken + each.refused, 0);
    assert.equal(sum, 3 * batch.length);
    assert.ok(intake.calls.every(({ lastAt }) => lastAt === house.now()));
    assert.equal(intake.since, Date.UTC(2026, 5, 3, 13), "a week of hours, this one included");

    house.advance(1_000);
    await sendBatch(project, [track("paid", { context: LIBRARY })]);
    assert.deepEqual((await countsOf(project, 1)).calls, { "test track": [1, 0] });
    assert.deepEqual((await countsOf(project, 2)).calls["test track"], [7, 3]);
    for (const hours of ["0", "721", "x", "1.5"])
      assert.equal((await refusal(project.api.getIntake({ query: { hours: Number(hours) } }))).status, 400);
    house.advance(719 * HOUR_MS);
    await house.drain();
    assert.deepEqual((await countsOf(project, 720)).calls, { "test track": [1, 0] });
    house.advance(2 * HOUR_MS);
    await house.drain();
    assert.deepEqual(await countsOf(project, 720), { calls: {}, problems: {} });
  });

  it("have names of up to 80 characters, five of a reason", async () => {
    const project = await house.project();
    const big = (n: number) => ({ [`${"💥".repeat(200)}${n}`]: "x".repeat(5_000) });
    await sendBatch(project, [
      ...Array.from({ length: 20 }, (_, n) =>
        track("paid", { properties: { [`name-${n}`]: "x".repeat(5_000) } }),
      ),
      ...Array.from({ length: 5 }, (_, n) => identify(big(n))),
      ...Array.from({ length: 20 }, (_, n) => track("x".repeat(200) + n)),
    ]);
    await sendBatch(project, [track("paid", { properties: big(7) })]);
    const { intake } = await project.api.getIntake();
    for (const { names, reason } of intake.problems)
      for (const name of names) assert.ok([...name].length <= 80, reason);
    assert.deepEqual(
      intake.problems.map(({ call, reason, count, names }) => [call, reason, count, names.length]).toSorted(),
      [
        ["identify", "trimmed", 5, 1],
        ["track", "event_name", 20, 1],
        ["track", "trimmed", 21, 5],
      ],
    );
  });

  it("have 50 libraries of a project in an hour by their names, and the others together", async () => {
    house.at(Date.UTC(2026, 6, 10, 12));
    const project = await house.project();
    const from = (n: number) => track("paid", { context: { library: { name: `library ${n}` } } });
    await sendBatch(
      project,
      Array.from({ length: 200 }, (_, n) => from(n)),
    );
    const { calls } = await countsOf(project);
    assert.deepEqual([Object.keys(calls).length, calls["other track"]], [51, [150, 0]]);
    await sendBatch(project, [from(3), from(199)]);
    assert.deepEqual((await countsOf(project)).calls["other track"], [151, 0]);
    // No sender keeps others from being seen for longer than an hour.
    house.advance(HOUR_MS);
    await sendBatch(project, [from(199)]);
    assert.deepEqual((await countsOf(project)).calls["library 199 track"], [1, 0]);
  });

  it("of many requests at once add up", async () => {
    const project = await house.project();
    const there = await house.elsewhere(project);
    const batch = [track("paid", { context: LIBRARY }), track("", { context: LIBRARY }), { type: "page" }];
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        sendBatch(n % 2 === 0 ? project : there, n % 4 < 2 ? batch : batch.toReversed()),
      ),
    );
    assert.deepEqual((await countsOf(project)).calls, { "test track": [60, 60], "unknown page": [0, 60] });
  });

  it("are one for each request of which nothing is read, where its key is known", async () => {
    const project = await house.project();
    await sendTo(project, "batch", { batch: 5 });
    await sendTo(project, "batch", "{");
    await sendTo(project, "batch", Buffer.from([0x1f, 0x8b, 8, 0]));
    await sendTo(project, "batch", " ".repeat(4 * 1_024 * 1_024 + 1));
    await sendTo(project, "batch", { batch: Array.from({ length: 2_501 }, () => track("paid")) });
    await sendTo(project, "batch", { batch: [track("paid")] }, { authorization: basic("x") });
    await sendTo(project, "batch", "{", { authorization: null });
    assert.deepEqual(await countsOf(project), {
      calls: { "unknown unknown": [0, 5] },
      problems: { "unknown unknown unreadable": [3, []], "unknown unknown too_large": [2, []] },
    });
  });
});

it("what is counted leaves nothing behind that differs", async () => {
  assert.deepEqual(await house.differences(), {});
});
