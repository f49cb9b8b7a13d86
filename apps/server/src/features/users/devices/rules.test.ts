import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installationRef, tokenRef, userRef } from "../../../domain/ids.ts";
import {
  type Acknowledgement,
  asAcknowledged,
  beActive,
  bindTo,
  guardFault,
  NO_CAPABILITIES,
  replaceFacts,
  replaceToken,
  type State,
  tokenScope,
} from "./rules.ts";
import { type Installation, MAX_COUNTER } from "./schema.ts";

const PROJECT = "019b0000-0000-7000-8000-000000000000";
const person = (externalId: string) => ({ ...userRef(PROJECT, externalId), externalId });
const anna = person("anna");
const scope = { provider: "apns", environment: "production", appId: "app" };
const tokenOf = (token: string) => ({ ...tokenRef(PROJECT, scope, token), token });

const state: State = {
  appId: "app",
  platform: "ios",
  environment: "production",
  user: anna,
  bindingGeneration: 3,
  revision: 9,
  tokenRevision: 2,
  token: tokenOf("t"),
  permission: "granted",
  consent: true,
  capabilities: NO_CAPABILITIES,
  lastActiveAt: 1_000,
};

describe("guards", () => {
  const fresh = { requestId: "r", revision: 9, bindingGeneration: 3 };
  const stale = (name: string) => `${name} is not that of the installation; read it again`;
  const cases: [string, Parameters<typeof guardFault>[1], string | null][] = [
    ["all of the installation", fresh, null],
    ["with that of the token", { ...fresh, tokenRevision: 2 }, null],
    ["a revision before", { ...fresh, revision: 8 }, stale("revision")],
    ["a revision to come", { ...fresh, revision: 10 }, stale("revision")],
    ["another generation", { ...fresh, bindingGeneration: 2 }, stale("bindingGeneration")],
    ["another token", { ...fresh, tokenRevision: 1 }, stale("tokenRevision")],
    ["the largest there is", { ...fresh, revision: MAX_COUNTER }, stale("revision")],
  ];
  for (const [name, guards, fault] of cases) it(name, () => assert.equal(guardFault(state, guards), fault));
  it("end where the counter does", () => {
    const faultAt = (revision: number) => guardFault({ ...state, revision }, { ...fresh, revision });
    assert.equal(faultAt(MAX_COUNTER - 1), null);
    assert.equal(faultAt(MAX_COUNTER), "revision cannot rise any further");
  });
});

describe("changes", () => {
  it("another user takes consent and activity, and leaves the token", () => {
    const ben = person("ben");
    const changed = { bindingGeneration: 4, consent: false, lastActiveAt: null };
    assert.deepEqual(bindTo(ben)(state), { ...state, ...changed, user: ben });
    assert.deepEqual(bindTo(null)(state), { ...state, ...changed, user: null });
    assert.deepEqual(bindTo(anna)({ ...state, user: null }), { ...state, ...changed });
  });
  it("the same user, or still nobody, changes nothing", () => {
    assert.deepEqual(bindTo(person("anna"))(state), state);
    const unbound = { ...state, user: null };
    assert.deepEqual(bindTo(null)(unbound), unbound);
  });
  it("facts are replaced as a whole, and nothing else", () => {
    const capabilities = { ...NO_CAPABILITIES, richImages: true };
    const facts = { permission: "denied" as const, consent: false, capabilities };
    assert.deepEqual(replaceFacts(facts)(state), { ...state, ...facts });
  });
  it("another token raises its revision; the same one does not", () => {
    const other = tokenOf("u");
    assert.deepEqual(replaceToken(other)(state), { ...state, token: other, tokenRevision: 3 });
    assert.deepEqual(replaceToken(null)(state), { ...state, token: null, tokenRevision: 3 });
    assert.deepEqual(replaceToken(tokenOf("t"))(state), state);
    const none = { ...state, token: null };
    assert.deepEqual(replaceToken(null)(none), none);
    assert.deepEqual(replaceToken(other)(none), { ...none, token: other, tokenRevision: 3 });
  });
  it("activity is at least 1, and never goes back", () => {
    const activeAfter = (ms: number, lastActiveAt: number | null) => beActive(ms)({ ...state, lastActiveAt });
    for (const [ms, before, after] of [
      [2_000, 1_000, 2_000],
      [500, 1_000, 1_000],
      [5, null, 5],
      [0, null, 1],
    ] as const)
      assert.deepEqual(activeAfter(ms, before), { ...state, lastActiveAt: after });
  });
});

describe("keys", () => {
  it("differ with every part of what they stand for", () => {
    const keys = [
      tokenOf("t"),
      tokenOf("u"),
      tokenRef("another", scope, "t"),
      tokenRef(PROJECT, { ...scope, appId: "app2" }, "t"),
      tokenRef(PROJECT, { ...scope, environment: "development" }, "t"),
      tokenRef(PROJECT, { ...scope, provider: "fcm" }, "t"),
    ].map(({ tokenKey }) => tokenKey);
    assert.equal(new Set(keys).size, keys.length);
    assert.notEqual(installationRef(PROJECT, "x").installationKey, installationRef("p", "x").installationKey);
    assert.notEqual(installationRef(PROJECT, "x").installationKey, userRef(PROJECT, "x").userKey);
  });
  it("have a lane of their own, 0 to 63", () => {
    const lanes = Array.from({ length: 2_000 }, (_, i) => [
      installationRef(PROJECT, `${i}`),
      tokenOf(`${i}`),
    ]);
    assert.deepEqual(new Set(lanes.flat().map(({ lane }) => lane)).size, 64);
  });
  it("name the provider by the platform", () => {
    assert.deepEqual(tokenScope(state), scope);
    assert.equal(tokenScope({ ...state, platform: "android" }).provider, "fcm");
  });
});

describe("asAcknowledged", () => {
  const now: Installation = {
    id: "phone",
    appId: "app",
    platform: "ios",
    environment: "production",
    userId: "carl",
    bindingGeneration: 9,
    revision: 50,
    tokenRevision: 4,
    hasToken: false,
    permission: "denied",
    consent: false,
    capabilities: { ...NO_CAPABILITIES, actions: ["now"] },
    lastActiveAt: 99,
    createdAt: 1,
  };
  const first: Acknowledgement = {
    bindingGeneration: 7,
    revision: 40,
    tokenRevision: 3,
    hasToken: true,
    permission: "granted",
    consent: true,
    lastActiveAt: 5,
    replacedUserExternalId: "before",
    replacedCapabilities: null,
  };
  const shown = {
    bindingGeneration: 7,
    revision: 40,
    tokenRevision: 3,
    hasToken: true,
    permission: "granted" as const,
    consent: true,
    lastActiveAt: 5,
    id: "phone",
    appId: "app",
    platform: "ios" as const,
    environment: "production" as const,
    createdAt: 1,
  };
  const later = (more: Partial<Acknowledgement>): Acknowledgement => ({
    ...first,
    replacedUserExternalId: null,
    replacedCapabilities: null,
    ...more,
  });
  it("what nothing has replaced is as it is now", () => {
    assert.deepEqual(asAcknowledged(now, [first, later({ revision: 41 })]), {
      ...shown,
      userId: "carl",
      capabilities: now.capabilities,
    });
  });
  it("what was replaced is what the first that did so says", () => {
    const old = { ...NO_CAPABILITIES, actions: ["old"] };
    const answer = asAcknowledged(now, [
      { ...first, replacedCapabilities: { ...NO_CAPABILITIES, actions: ["older"] } },
      later({ revision: 41, replacedCapabilities: old }),
      later({ revision: 42, bindingGeneration: 8, replacedUserExternalId: "anna" }),
      later({ revision: 43, bindingGeneration: 9, replacedUserExternalId: "ben" }),
      later({ revision: 44, bindingGeneration: 9, replacedCapabilities: NO_CAPABILITIES }),
    ]);
    assert.deepEqual(answer, { ...shown, userId: "anna", capabilities: old });
  });
  it("nobody may have been replaced", () => {
    const answer = asAcknowledged(now, [first, later({ revision: 41, bindingGeneration: 8 })]);
    assert.equal(answer.userId, null);
  });
});
