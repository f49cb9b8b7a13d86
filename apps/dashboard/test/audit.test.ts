import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOf, type Entry, targetOf } from "../src/features/audit/changes.ts";
import { kindOptions, operationsOf, operationText } from "../src/features/audit/kinds.ts";
import { lineOf, maskOf } from "../src/features/keys/rules.ts";

const entry = (given: Partial<Entry>): Entry => ({
  ...{ id: 1, projectId: null, at: 0, by: { kind: "human", id: "p1", name: "Ada" } },
  ...{ operation: "renameProject", target: null, fields: [], before: null, after: null, requestId: null },
  ...given,
});
const names = new Map([["id-1", "Shop"]]);

describe("an entry of the audit log", () => {
  it("says field by field what was before and after", () => {
    const both = { before: { name: "A", role: "viewer" }, after: { name: "B", role: null } };
    assert.equal(changeOf(entry(both), names), "name: A → B · role: viewer → none");
    assert.equal(
      changeOf(entry({ before: { role: null }, after: { role: "owner", projectIds: ["id-1"] } }), names),
      "role: none → role: owner · projects: Shop",
    );
    const settings = { before: { "email.capMax": null }, after: { "email.capMax": 5 } };
    assert.equal(
      changeOf(entry({ operation: "changePeopleSettings", ...settings }), names),
      "email.capMax: default → 5",
    );
    assert.equal(
      changeOf(entry({ operation: "changePeopleSettings", after: ["email.capMax", "email.from"] }), names),
      "email.capMax, email.from",
    );
    assert.equal(changeOf(entry({ before: {}, after: {} }), names), null);
  });

  it("says one side where there is one, else the fields that were sent", () => {
    assert.equal(changeOf(entry({ after: { projectIds: null } }), names), "projects: all projects");
    assert.equal(changeOf(entry({ before: { name: "A" } }), names), "was name: A");
    assert.equal(changeOf(entry({ fields: ["a", "b"] }), names), "fields: a, b");
    assert.equal(changeOf(entry({}), names), null);
  });

  it("names a project in place of its id, and not the person who changed themselves", () => {
    assert.equal(targetOf(entry({ target: "id-1" }), names), "Shop");
    assert.equal(targetOf(entry({ target: "cmp_1" }), names), "cmp_1");
    assert.equal(targetOf(entry({ target: "p1" }), names), null);
  });
});

it("kinds of change have operations, each in one kind and in words", () => {
  const all = kindOptions.flatMap(({ value }) => operationsOf(value)?.split(",") ?? []);
  assert.ok(all.length > 30);
  assert.equal(new Set(all).size, all.length);
  for (const id of all) assert.notEqual(operationText(id), id);
  assert.equal(operationText("somethingNew"), "somethingNew");
  assert.equal(operationsOf("none"), undefined);
});

it("keys are shown with what is kept of them, and with the line to use them", () => {
  const key = {
    ...{ id: "0", kind: "secret" as const, publishableKey: null, ending: "a7Qx" },
    ...{ isLent: false, createdAt: 0, expiresAt: null },
  };
  assert.equal(maskOf(key), "pk_…a7Qx");
  assert.equal(maskOf({ ...key, ending: null }), "pk_…");
  assert.equal(maskOf({ ...key, kind: "publishable", publishableKey: "pk_pub_1" }), "pk_pub_1");
  for (const kind of ["publishable", "secret", "agent"] as const)
    assert.ok(lineOf(kind, "KEY", "https://tidings.example").includes("KEY"));
});
