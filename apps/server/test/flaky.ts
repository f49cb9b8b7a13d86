/** Fails where the list of flaky tests is not empty, and prints it: `npm run flaky`, before a release. */
import { KEPT, openKept } from "./runner/kept.ts";

const { tests, path } = openKept(KEPT).flaky();
for (const { at, file, test, reason } of tests) console.error(`${at} ${file}: ${test}: ${reason}`);
if (tests.length === 0) console.log("No test is known to be flaky.");
else console.error(`${tests.length} flaky: mend them, then remove their lines from ${path}.`);
process.exitCode = tests.length === 0 ? 0 : 1;
