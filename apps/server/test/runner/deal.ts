import { statSync } from "node:fs";
import { join } from "node:path";
import type { Durations } from "./kept.ts";

/** Files that take long, in seconds on two cores, for a machine that has not run them yet. */
const LONG: Readonly<Record<string, number>> = {
  "e2e/dashboard-pages-failing.test.ts": 55,
  "e2e/dashboard-pages.test.ts": 40,
  "e2e/dashboard-pages-shown.test.ts": 70,
  "apps/server/test/faults/faults.test.ts": 65,
  "e2e/dashboard-figures.test.ts": 60,
  "apps/server/test/shared-budgets.test.ts": 50,
  "apps/server/test/fuzz/fuzz.test.ts": 40,
  "apps/server/test/every-endpoint.test.ts": 40,
  "apps/server/test/commands/serve.test.ts": 40,
  "apps/server/test/crash/crash.test.ts": 30,
  "apps/server/test/crash/email.test.ts": 30,
  "apps/server/test/crash/push.test.ts": 40,
  "apps/server/src/features/sources/git/judging/histories.test.ts": 45,
  "apps/server/test/runner/interrupt.test.ts": 25,
  "apps/server/test/doctor/doctor.test.ts": 20,
  "apps/server/test/docs/email.test.ts": 20,
  "apps/server/test/email-tls.test.ts": 20,
  "apps/server/src/features/push/sending/send/outcomes.test.ts": 20,
  "apps/server/test/commands/environment.test.ts": 20,
  "apps/server/test/commands/export-import.test.ts": 15,
  "apps/server/test/commands/copied-folder.test.ts": 15,
  "apps/server/test/idempotency-processes.test.ts": 15,
  "apps/server/src/features/erasure/races.test.ts": 15,
  "e2e/queue.test.ts": 15,
};
/** A server or a browser of its own makes a file slower than its length says. */
const SPAWNING = /^e2e\/|^apps\/server\/test\//;
const MS_PER_BYTE = 0.25;

/** How long a file will probably take, in milliseconds. */
const expected = (root: string, file: string, durations: Durations): number =>
  durations[file] ??
  (LONG[file] ?? 0) * 1_000 + statSync(join(root, file)).size * MS_PER_BYTE * (SPAWNING.test(file) ? 3 : 1);

/** The order in which workers take the files: the longest first, so that none is left alone at the end. */
export function deal(root: string, files: readonly string[], durations: Durations): string[] {
  const times = new Map(files.map((file) => [file, expected(root, file, durations)]));
  return files.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}
