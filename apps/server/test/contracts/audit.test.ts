import assert from "node:assert/strict";
import { it } from "node:test";
import { endpoints, peopleEndpoints } from "../../src/features.ts";
import { actsOf, leavesEntry } from "../../src/platform/http/audit.ts";

const all = [...endpoints, ...peopleEndpoints];

it("an operation by which people change something says what they did, for the audit log", () => {
  const missing = all.filter((each) => leavesEntry(each) && each.spec.audit === undefined);
  assert.deepEqual(
    missing.map(({ spec }) => spec.id),
    [],
    'a contract needs `audit`, above `tag`: what a person did by it, after their name, such as "made a goal"',
  );
});

it("an operation that leaves no entry in the audit log has no words for one", () => {
  const useless = all.filter((each) => !leavesEntry(each) && each.spec.audit !== undefined);
  assert.deepEqual(
    useless.map(({ spec }) => spec.id),
    [],
    "leave out `audit`: people may not call it, or it changes nothing",
  );
});

it("what somebody did reads after their name", () => {
  for (const { operation, did } of actsOf(all))
    assert.match(did, /^[a-z]+ .{2,90}[^.]$|^signed in$/, operation);
});
