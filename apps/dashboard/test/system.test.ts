import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type DoctorRun,
  isBackupLate,
  isUnfinished,
  type System,
  secondsOf,
  wrongOf,
} from "../src/features/system/rules.ts";
import { sizeOf } from "../src/platform/sizes.ts";
import { spanOf } from "../src/ui/texts/span.ts";

const MINUTE_MS = 60_000;

it("says how long in the largest unit that is whole", () => {
  assert.equal(spanOf(0), "less than a minute");
  assert.equal(spanOf(119 * 1_000), "1 minute");
  assert.equal(spanOf(MINUTE_MS), "1 minute");
  assert.equal(spanOf(119 * MINUTE_MS), "119 minutes");
  assert.equal(spanOf(120 * MINUTE_MS), "2 hours");
  assert.equal(spanOf(47 * 60 * MINUTE_MS), "47 hours");
  assert.equal(spanOf(48 * 60 * MINUTE_MS), "2 days");
});

it("says how large in the unit that people use", () => {
  assert.equal(sizeOf(0), "0 B");
  assert.equal(sizeOf(1_023), "1,020 B");
  assert.equal(sizeOf(1_536), "1.5 KB");
  assert.equal(sizeOf(12.34 * 1_024 ** 3), "12.3 GB");
  assert.equal(sizeOf(5_000 * 1_024 ** 4), "5,000 TB");
});

it("tells of a run of the doctor whether it goes on, what is wrong, and how long it took", () => {
  const finding = {
    name: "a",
    invariant: 1,
    compares: "facts",
    differences: 0,
    milliseconds: 1_500,
  } as const;
  const run: DoctorRun = {
    state: "running",
    requestedAt: 1,
    requestedBy: "Ada",
    startedAt: 1,
    endedAt: null,
    checks: 70,
    differences: 2,
    fault: null,
    findings: [finding, { ...finding, name: "b", differences: 2 }],
  };
  assert.ok(isUnfinished(run) && isUnfinished({ ...run, state: "waiting" }));
  assert.ok(!isUnfinished({ ...run, state: "done" }) && !isUnfinished({ ...run, state: "failed" }));
  assert.deepEqual(
    wrongOf(run).map(({ name }) => name),
    ["b"],
  );
  assert.equal(secondsOf(run), 3);
});

it("calls a backup late when two periods have passed since the newest one, or since the start where there is none", () => {
  const now = 100 * MINUTE_MS;
  const newest = { startedAt: now - 21 * MINUTE_MS, endedAt: now, bytes: 1, name: "tidings-1" };
  const backups = { folder: "/b", everyMs: 10 * MINUTE_MS, keep: 7, count: 1, newest, fault: null };
  const isLate = (its: Partial<NonNullable<System["backups"]>> | null, startedAt = 0): boolean =>
    isBackupLate({ evaluatedAt: now, startedAt, backups: its && { ...backups, ...its } } as System);
  assert.equal(isLate({}), true);
  assert.equal(isLate({ everyMs: 11 * MINUTE_MS }), false);
  assert.equal(isLate({}, now - MINUTE_MS), false);
  assert.equal(isLate({ newest: null }), true);
  assert.equal(isLate({ newest: null }, now - 19 * MINUTE_MS), false);
  assert.equal(isLate({ everyMs: null }), false);
  assert.equal(isLate(null), false);
});
