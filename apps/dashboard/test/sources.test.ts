import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  changeBody,
  connectBody,
  foundBy,
  launchedHow,
  type Source,
  type TypedRepository,
} from "../src/features/sources/rules.ts";

const source: Source = {
  id: "web",
  kind: "git",
  repository: "https://x/web.git",
  branch: "main",
  enabled: true,
  paused: false,
  state: "ok",
  reason: null,
  tipSha: "a".repeat(40),
  fetchedAt: 1,
  mappings: [],
};

describe("what a look found", () => {
  it("is said in a sentence", () => {
    assert.equal(foundBy(source), "main is at aaaaaaaaaa");
    assert.match(foundBy({ ...source, state: "unavailable", reason: "auth" }), /refuses the credential/);
    assert.equal(foundBy({ ...source, state: "unavailable", reason: "new word" }), "new word");
    assert.equal(foundBy({ ...source, state: "pending", tipSha: null }), "Not looked at yet");
  });
});

describe("a campaign that announced changes", () => {
  it("says how it was launched", () => {
    const launch = {
      mode: "automatic" as const,
      startedAt: 1,
      contentHash: "",
      requirementsDigest: "",
      evidence: [],
    };
    assert.equal(launchedHow({ launch: null }), null);
    assert.equal(launchedHow({ launch }), "by itself");
    assert.equal(launchedHow({ launch: { ...launch, mode: "manual" } }), "by hand");
    const override = { by: "Ada", reason: "the flag is on" };
    assert.match(launchedHow({ launch: { ...launch, override } }) ?? "", /by Ada.*flag is on/);
  });
});

describe("the form of a repository", () => {
  const typed: TypedRepository = {
    id: " web ",
    kind: "git",
    url: " https://x/web.git ",
    branch: "main",
    credential: "",
    knownHosts: "",
    dropsCredential: false,
    instructions: "",
    enabled: true,
    paused: false,
  };

  it("sends a credential only where there is one", () => {
    const plain = { id: "web", kind: "git", url: "https://x/web.git", branch: "main", instructions: "" };
    assert.deepEqual(connectBody(typed), plain);
    assert.deepEqual(connectBody({ ...typed, credential: "u:t", knownHosts: " " }), {
      ...plain,
      credential: "u:t",
    });
    assert.deepEqual(connectBody({ ...typed, credential: "k", knownHosts: "h" }), {
      ...plain,
      credential: "k",
      knownHosts: "h",
    });
  });

  it("sends only what was changed", () => {
    assert.equal(changeBody(typed, typed), null);
    assert.deepEqual(changeBody({ ...typed, branch: "next", paused: true }, typed), {
      branch: "next",
      paused: true,
    });
    assert.deepEqual(changeBody({ ...typed, credential: "u:t" }, typed), { credential: "u:t" });
    assert.deepEqual(changeBody({ ...typed, dropsCredential: true }, typed), { credential: null });
  });
});
