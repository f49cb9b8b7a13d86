import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AuditEntry, describeChange, type NamedThing, targetOf } from "../src/features/audit/changes.ts";
import { operationsIn, operationText } from "../src/features/audit/kinds.ts";
import { lineOf, maskOf } from "../src/features/keys/rules.ts";

const entry = (given: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  projectId: null,
  at: 0,
  by: { kind: "human", id: "p1", name: "Ada" },
  operation: "renameProject",
  target: null,
  fields: [],
  before: null,
  after: null,
  requestId: null,
  ...given,
});
const names = new Map([["id-1", "Shop"]]);

describe("an entry of the audit log", () => {
  it("says field by field what was before and after", () => {
    const both = { before: { name: "A", role: "viewer" }, after: { name: "B", role: null } };
    assert.equal(describeChange(entry(both), names), "name: A → B · role: viewer → none");
    assert.equal(
      describeChange(
        entry({ before: { role: null }, after: { role: "owner", projectIds: ["id-1"] } }),
        names,
      ),
      "role: none → role: owner · projects: Shop",
    );
    const settings = { before: { "email.capMax": null }, after: { "email.capMax": 5 } };
    assert.equal(
      describeChange(entry({ operation: "changePeopleSettings", ...settings }), names),
      "email.capMax: default → 5",
    );
    assert.equal(
      describeChange(
        entry({ operation: "changePeopleSettings", after: ["email.capMax", "email.from"] }),
        names,
      ),
      "email.capMax, email.from",
    );
    assert.equal(describeChange(entry({ before: {}, after: {} }), names), null);
  });

  it("says one side where there is one, else the fields that were sent", () => {
    assert.equal(describeChange(entry({ after: { projectIds: null } }), names), "projects: all projects");
    assert.equal(describeChange(entry({ before: { name: "A" } }), names), "was name: A");
    assert.equal(describeChange(entry({ fields: ["a", "b"] }), names), "changed: a, b");
    assert.equal(
      describeChange(entry({ fields: ["address", "userId", "variantId"] }), names),
      "changed: email address, as which user, variant",
    );
    assert.equal(describeChange(entry({}), names), null);
  });

  it("names what was changed in place of its id, with the way there, and not the person who changed themselves", () => {
    const thing = (
      kind: NamedThing["kind"],
      id: string,
      name: string,
      projectId: string | null = "id-1",
    ) => ({
      kind,
      id,
      name,
      projectId,
    });
    const named: NamedThing[] = [
      thing("campaign", "cmp_1", "Hello"),
      thing("address", "key-1", "ada@example.com"),
      thing("source", "web", "web"),
      thing("person", "ben@example.com", "Ben", null),
    ];
    const target = (id: string, given: Partial<AuditEntry> = {}) =>
      targetOf(entry({ projectId: "id-1", target: id, ...given }), names, named);
    assert.deepEqual(target("id-1"), { text: "Shop", path: null });
    assert.deepEqual(target("cmp_1"), { text: "Hello", path: "campaigns/cmp_1" });
    assert.deepEqual(target("ben@example.com"), { text: "Ben, ben@example.com", path: "people" });
    const search = { view: "suppressions", q: "ada@example.com" };
    assert.deepEqual(target("key-1"), { text: "ada@example.com", path: "email", search });
    // Another project's repository of the same name is not this one; what is gone keeps its id.
    assert.deepEqual(target("web", { projectId: "id-2" }), { text: "web", path: null });
    assert.deepEqual(target("cmp_2"), { text: "cmp_2", path: null });
    assert.deepEqual(target("secret", { operation: "revokeKey" }), { text: "Secret key", path: "keys" });
    assert.deepEqual(target("secret"), { text: "secret", path: null });
    assert.equal(target("p1"), null);
  });
});

it("an operation reads as the server calls it, and a kind of change narrows to its operations", () => {
  const operations = [
    { id: "createKey", did: "made a key" },
    { id: "revokeKey", did: "revoked a key" },
  ];
  const kinds = [{ name: "Keys", operations }];
  assert.equal(operationText(kinds, "revokeKey"), "revoked a key");
  assert.equal(operationText(kinds, "somethingOld"), "somethingOld");
  assert.equal(operationsIn(kinds, "Keys"), "createKey,revokeKey");
  assert.equal(operationsIn(kinds, ""), undefined);
});

it("a field without a word of its own reads as its name in words, but not what customers named themselves", () => {
  const after = { brandNewField: { maxComplaintRate: 1 }, guardrails: { perWeek: 2 } };
  assert.equal(
    describeChange(entry({ after }), names),
    "brand new field: maxComplaintRate: 1 · limits: perWeek: 2",
  );
  const fields = ["expression", "brandNewField", "name"];
  assert.equal(describeChange(entry({ fields }), names), "changed: conditions, brand new field, name");
});

it("keys are shown with what is kept of them, and with the line to use them", () => {
  const key = {
    id: "0",
    kind: "secret" as const,
    publishableKey: null,
    ending: "a7Qx",
    isLent: false,
    createdAt: 0,
    expiresAt: null,
  };
  assert.equal(maskOf(key), "pk_…a7Qx");
  assert.equal(maskOf({ ...key, ending: null }), "pk_…");
  assert.equal(maskOf({ ...key, kind: "send" }), "pk_send_…a7Qx");
  assert.equal(maskOf({ ...key, kind: "publishable", publishableKey: "pk_pub_1" }), "pk_pub_1");
  for (const kind of ["publishable", "secret", "agent", "send"] as const)
    assert.ok(lineOf(kind, "KEY", "https://tidings.example").includes("KEY"));
});
