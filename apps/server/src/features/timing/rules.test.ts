import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { UTC, zoneNamed } from "../../platform/time/zone.ts";
import { type SendTime, WEEKDAYS } from "../campaigns/authoring/timing.pure.ts";
import { type Borne, keptBy, limitsOf } from "./pressure.pure.ts";
import { parseQuiet, quietUntil } from "./quiet.pure.ts";
import { clockNamed, readerClock } from "./reader-clock.pure.ts";
import { leavesAt } from "./send-time.pure.ts";
import { kindOfWait, waitWords } from "./waiting.pure.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Pacific/Apia",
  "Pacific/Chatham",
  "America/St_Johns",
];
const zones = fc.constantFrom(...ZONES);
/** Minutes of some years, which have all changes of clocks in them. */
const instants = fc
  .integer({ min: Date.UTC(2025, 0, 1) / MINUTE_MS, max: Date.UTC(2027, 0, 1) / MINUTE_MS })
  .map((minutes) => minutes * MINUTE_MS);
const minutesOfDay = fc.integer({ min: 0, max: 1_439 });
const twoDigits = (n: number) => String(n).padStart(2, "0");
const clockText = (minute: number) => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;
const minuteShown = (zone: string, at: number) => {
  const shown = new Date((zoneNamed(zone) ?? UTC).shownAt(at));
  return shown.getUTCHours() * 60 + shown.getUTCMinutes();
};
const weekdayShown = (zone: string, at: number) =>
  WEEKDAYS[(new Date((zoneNamed(zone) ?? UTC).shownAt(at)).getUTCDay() + 6) % 7];

describe("quiet hours", () => {
  for (const text of [
    "",
    "21:00",
    "21:00-21:00",
    "24:00-08:00",
    "21:00-8:00",
    "21:60-08:00",
    "9-17",
    "21:00 - 08:00",
  ])
    it(`are not ${JSON.stringify(text)}`, () => assert.equal(parseQuiet(text), null));

  it("last until the first minute after them, in every zone and over every change of clocks", () => {
    fc.assert(
      fc.property(zones, instants, minutesOfDay, minutesOfDay, (name, now, from, to) => {
        fc.pre(from !== to);
        const quiet = { from, to };
        const isQuiet = (at: number) => {
          const minute = minuteShown(name, at);
          return from < to ? minute >= from && minute < to : minute >= from || minute < to;
        };
        const until = quietUntil(quiet, zoneNamed(name) ?? UTC, now);
        assert.equal(until !== null, isQuiet(now));
        if (until === null) return;
        assert.ok(until > now && until - now <= 25 * HOUR_MS);
        // Where clocks go ahead past the end, the end is as much later; everything before it is quiet but what they passed over.
        for (let at = now; at < until; at += 5 * MINUTE_MS)
          if (!isQuiet(at)) assert.ok(until - at <= HOUR_MS, `${name} ${new Date(at).toISOString()}`);
      }),
      { numRuns: 400 },
    );
  });
});

describe("the hour of a reader", () => {
  it("is the first one that their clocks show from when the message is queued, on a day that is allowed", () => {
    const days = fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 7 }));
    fc.assert(
      fc.property(zones, instants, minutesOfDay, days, (name, queuedAt, minute, weekdays) => {
        const sendTime: SendTime = {
          at: clockText(minute),
          zone: "user",
          ...(weekdays === null ? {} : { weekdays }),
        };
        const at = leavesAt({ sendTime, deliverFrom: null }, clockNamed(name), clockNamed("UTC"), queuedAt);
        const isShown = (instant: number) =>
          minuteShown(name, instant) === minute &&
          (weekdays === null || weekdays.some((day) => day === weekdayShown(name, instant)));
        let plain = queuedAt;
        while (!isShown(plain) && plain < at) plain += MINUTE_MS;
        // Clocks that go ahead pass over the hour: then it is as much later.
        const passed = minuteShown(name, at) !== minute;
        if (!passed) assert.equal(at, plain, `${name} ${sendTime.at} ${new Date(queuedAt).toISOString()}`);
        else assert.ok(at - queuedAt <= 8 * 24 * HOUR_MS);
      }),
      { numRuns: 300 },
    );
  });

  const [berlin, auckland, newYork] = ["Europe/Berlin", "Pacific/Auckland", "America/New_York"].map(
    clockNamed,
  );
  const nine: SendTime = { at: "09:00", zone: "user" };
  const utc = clockNamed("UTC");
  const cases: readonly [string, SendTime, string | null, typeof utc, string, string][] = [
    ["without a date: today", nine, null, utc, "2026-12-01T08:00Z", "2026-12-01T09:00Z"],
    ["without a date: tomorrow, once it is past", nine, null, utc, "2026-12-01T09:01Z", "2026-12-02T09:00Z"],
    [
      "with a date: that day in each zone",
      nine,
      "2026-12-01T00:00Z",
      newYork ?? utc,
      "2026-12-01T00:00Z",
      "2026-12-01T14:00Z",
    ],
    [
      "with a date, in a zone where the hour had gone: at once",
      nine,
      "2026-12-01T00:00Z",
      auckland ?? utc,
      "2026-12-01T00:00Z",
      "2026-12-01T00:00Z",
    ],
    [
      "with a date, for who comes on that day after the hour: at once",
      nine,
      "2026-12-01T00:00Z",
      berlin ?? utc,
      "2026-12-01T15:00Z",
      "2026-12-01T15:00Z",
    ],
    [
      "with a date, for who comes a week later: the next hour",
      nine,
      "2026-12-01T00:00Z",
      berlin ?? utc,
      "2026-12-08T15:00Z",
      "2026-12-09T08:00Z",
    ],
    [
      "in one zone for all",
      { ...nine, zone: "Europe/Berlin" },
      null,
      auckland ?? utc,
      "2026-12-01T00:00Z",
      "2026-12-01T08:00Z",
    ],
    ["on Mondays", { ...nine, weekdays: ["mon"] }, null, utc, "2026-12-01T08:00Z", "2026-12-07T09:00Z"],
    [
      "twice: at the first",
      { ...nine, at: "02:30" },
      null,
      berlin ?? utc,
      "2026-10-24T12:00Z",
      "2026-10-25T00:30Z",
    ],
    [
      "in a gap: as much later",
      { ...nine, at: "02:30" },
      null,
      berlin ?? utc,
      "2026-03-28T12:00Z",
      "2026-03-29T01:30Z",
    ],
  ];
  for (const [name, sendTime, from, reader, queued, leaves] of cases)
    it(name, () => {
      const deliverFrom = from === null ? null : Date.parse(from);
      const at = leavesAt({ sendTime, deliverFrom }, reader, utc, Date.parse(queued));
      assert.equal(new Date(at).toISOString(), new Date(leaves).toISOString());
    });

  it("is read by the zone of the project where the trait is none", () => {
    const project = clockNamed("Asia/Tokyo");
    for (const named of [undefined, null, 5, "", "Mars/Olympus", "x".repeat(65), {}, "\0"])
      assert.equal(readerClock(named, project).name, "Asia/Tokyo");
    assert.equal(readerClock("America/New_York", project).name, "America/New_York");
  });
});

describe("pressure", () => {
  const now = Date.UTC(2026, 0, 1);
  const settings = { "pressure.max": 2, "pressure.hours": 24, "pressure.counts": "email, push" };
  const topic = { id: "a", max: 1, days: 7 };
  const at = (hours: number): Borne => ({ at: now - hours * HOUR_MS, channel: "push", topicId: null });
  const bear = (borne: readonly Borne[], ahead = 0, hasLeft = false) =>
    keptBy(limitsOf(settings, "email", null), { borne, ahead, hasLeft }, now);

  it("lets the second of two leave, and the third once the first is as old as the window", () => {
    assert.equal(bear([at(1)]), null);
    const found = bear([at(1), at(20)]);
    assert.deepEqual(found === "soon" ? found : found?.until, now + 4 * HOUR_MS);
    assert.equal(bear([at(1), at(24)]), null);
  });

  it("waits for what is on its way, and for what goes first", () => {
    assert.equal(bear([at(1), { at: null, channel: "email", topicId: null }]), "soon");
    assert.equal(bear([at(1)], 1), "soon");
    assert.equal(bear([], 1), null);
    assert.equal(bear([at(1), at(2)], 0, true), null, "another device of the reader");
  });

  it("of a topic counts its messages alone, over all channels of the project's limit", () => {
    const ofTopic = { at: now - 48 * HOUR_MS, channel: "push" as const, topicId: "a" };
    const both = limitsOf(settings, "email", topic);
    const found = keptBy(both, { borne: [ofTopic], ahead: 0, hasLeft: false }, now);
    assert.deepEqual(found === "soon" ? found : found?.until, now + 5 * 24 * HOUR_MS);
    assert.equal(keptBy(both, { borne: [at(1)], ahead: 0, hasLeft: false }, now), null);
    const alone = limitsOf({ ...settings, "pressure.counts": "email" }, "email", topic);
    const [mine, other] = [at(1), at(2)].map((each) => ({ ...each, topicId: null }));
    assert.equal(
      keptBy(alone, { borne: [mine, other].flatMap((each) => each ?? []), ahead: 0, hasLeft: false }, now),
      null,
    );
    assert.notEqual(
      keptBy(alone, { borne: [ofTopic], ahead: 0, hasLeft: false }, now),
      null,
      "a topic counts both",
    );
    assert.deepEqual(limitsOf({ ...settings, "pressure.counts": "push" }, "email", null), []);
    assert.deepEqual(limitsOf({ ...settings, "pressure.max": 0 }, "email", null), []);
  });
});

describe("what a message waits for", () => {
  it("is read from its words", () => {
    assert.equal(kindOfWait(waitWords("quiet", ["21:00-08:00", "Europe/Berlin"], 25)), "quiet");
    assert.equal(kindOfWait(waitWords("local_hour", ["09:00"], 200)), "local_hour");
    assert.equal(kindOfWait(waitWords("pressure", [3], 168)), "pressure");
    assert.equal(kindOfWait("3/24"), "cap");
  });
});
