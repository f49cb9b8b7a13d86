import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Announcement,
  changeBody,
  changesOf,
  connectBody,
  foundBy,
  launchedHow,
  needsPeople,
  placeText,
  type Source,
  type Typed,
  waitsFor,
} from "../src/features/sources/rules.ts";

const source: Source = {
  ...{ id: "web", kind: "git", repository: "https://x/web.git", branch: "main", enabled: true },
  ...{ paused: false, state: "ok", reason: null, tipSha: "a".repeat(40), fetchedAt: 1, mappings: [] },
};

const evidence = { id: "dep_1", provider: "api", label: "ci", url: "", revision: "a", reportedAt: 5 };

const activation: Announcement["activation"] = {
  ...{ campaignId: "cmp_1", revision: "0", defaultMode: "automatic", override: null, approval: "pending" },
  ...{ effectiveMode: "automatic", lastCheckedAt: null, launch: null, warnings: [] },
  assessment: {
    state: "waiting",
    blockers: [
      { code: "approval", detail: "tidings approvals approve" },
      { code: "deployment", requirementId: "req_1" },
      { code: "deployment", requirementId: "req_2" },
      { code: "readiness", detail: "Set the postal address." },
    ],
  },
  requirements: [
    { id: "req_1", sourceId: "web", label: "commit aaa", mappingIds: ["map_1"] },
    { id: "req_2", sourceId: "app", label: "pull request #2", mappingIds: [] },
  ],
  coverage: [
    {
      requirementId: "req_1",
      mappingId: "map_1",
      mappingLabel: "x/web production",
      state: "present",
      evidence,
    },
  ],
};

describe("what a look found", () => {
  it("is said in a sentence", () => {
    assert.equal(foundBy(source), "main is at aaaaaaaaaa");
    assert.match(foundBy({ ...source, state: "unavailable", reason: "auth" }), /refuses the credential/);
    assert.equal(foundBy({ ...source, state: "unavailable", reason: "new word" }), "new word");
    assert.equal(foundBy({ ...source, state: "pending", tipSha: null }), "Not looked at yet");
  });
});

describe("a campaign that announces changes", () => {
  it("says where each is live, and since when", () => {
    const [first, second] = changesOf(activation);
    assert.equal(first?.label, "web: commit aaa");
    const timeOf = (at: number) => `at ${at}`;
    const [place] = first?.places ?? [];
    assert.equal(place && placeText(place, timeOf), "x/web production: live, reported at 5");
    assert.equal(
      place && placeText({ ...place, state: "absent" }, timeOf),
      "x/web production: not in what runs there",
    );
    assert.deepEqual(second?.places, []);
  });

  it("says each thing that it waits for once, without commands", () => {
    assert.deepEqual(waitsFor(activation), [
      "A person has to allow it.",
      "A change is not live everywhere it has to be.",
      "Set the postal address.",
    ]);
    assert.equal(needsPeople(activation), true);
    assert.equal(needsPeople({ ...activation, assessment: { state: "eligible", blockers: [] } }), false);
  });

  it("says how it was launched", () => {
    const launch = {
      ...{ mode: "automatic" as const, startedAt: 1, contentHash: "", requirementsDigest: "", evidence: [] },
    };
    assert.equal(launchedHow(activation), null);
    assert.equal(launchedHow({ ...activation, launch }), "by itself");
    assert.equal(launchedHow({ ...activation, launch: { ...launch, mode: "manual" } }), "by hand");
    const override = { by: "Ada", reason: "the flag is on" };
    assert.match(launchedHow({ ...activation, launch: { ...launch, override } }) ?? "", /by Ada.*flag is on/);
  });
});

describe("the form of a repository", () => {
  const typed: Typed = {
    ...{ id: " web ", kind: "git", url: " https://x/web.git ", branch: "main", credential: "" },
    ...{ knownHosts: "", dropsCredential: false, instructions: "", enabled: true, paused: false },
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
      ...{ credential: "k", knownHosts: "h" },
    });
  });

  it("sends only what was changed", () => {
    assert.equal(changeBody(typed, typed), null);
    assert.deepEqual(changeBody({ ...typed, branch: "next", paused: true }, typed), {
      ...{ branch: "next", paused: true },
    });
    assert.deepEqual(changeBody({ ...typed, credential: "u:t" }, typed), { credential: "u:t" });
    assert.deepEqual(changeBody({ ...typed, dropsCredential: true }, typed), { credential: null });
  });
});
