import assert from "node:assert/strict";

/** Fails with everything that is missing, each in a line that says what to write and where. */
export function assertNone(complaints: readonly string[]): void {
  assert.ok(complaints.length === 0, `\n${complaints.map((complaint) => `- ${complaint}`).join("\n")}\n`);
}
