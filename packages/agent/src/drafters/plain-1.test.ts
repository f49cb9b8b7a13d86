import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimOf, shaOf } from "./claims-of-tests.ts";
import type { SourceClaim } from "./drafter.ts";
import { draftPlainly } from "./plain-1.ts";

const opsOf = (...messages: string[]) => draftPlainly(claimOf(...messages)).ops;

const campaignsOf = (...messages: string[]) =>
  opsOf(...messages).flatMap((op) => (op.op === "create" ? [op.campaign] : []));

describe("plain@1", () => {
  it("announces one commit by its subject line, without the kind of a conventional commit", () => {
    for (const [message, title] of [
      ["Add dark mode\n\nFor tired eyes.", "Add dark mode"],
      ["feat(ui)!: add dark mode", "Add dark mode"],
      ["fix: the menu closes again", "The menu closes again"],
      ["perf: load pages faster", "Load pages faster"],
      ["Say {{ user.name }} and {% if %}", "Say { { user.name }} and { % if %}"],
      ["A\ttab and\u0007 a bell", "A tab and a bell"],
    ] as const)
      assert.deepEqual(campaignsOf(message), [
        { name: title, channel: "web_inapp", message: { presentation: "toast", title } },
      ]);
  });

  it("cuts a long title between characters", () => {
    const [campaign] = campaignsOf(`Fix ${"👨‍👩‍👧‍👦".repeat(30)}`);
    assert.deepEqual(
      [campaign?.name, campaign?.message && "title" in campaign.message && campaign.message.title],
      [`Fix ${"👨‍👩‍👧‍👦".repeat(10)}…`, `Fix ${"👨‍👩‍👧‍👦".repeat(16)}…`],
    );
  });

  it("announces several in one draft, which names each once", () => {
    const [campaign, ...more] = campaignsOf("Add dark mode", "feat: export reports", "Export reports");
    assert.deepEqual(more, []);
    assert.deepEqual(campaign, {
      name: "Add dark mode and 1 more",
      channel: "web_inapp",
      message: { presentation: "toast", title: "What is new", body: "• Add dark mode\n• Export reports" },
    });
    assert.deepEqual(
      opsOf("Add dark mode", "Export reports").map((op) => op.op),
      ["create"],
    );
  });

  it("skips what users do not notice, and what is taken back at once", () => {
    const quiet = [
      "chore: bump x",
      "test(api): y",
      "Merge branch 'a'",
      "wip",
      "docs: z",
      "Release 1.2",
      "\n",
    ];
    const ops = opsOf(...quiet);
    assert.deepEqual(
      ops.map((op) => (op.op === "skip" ? op.shas : op.op)),
      [quiet.map((_, at) => shaOf(at + 1))],
    );
    const taken = opsOf("Add dark mode", `Revert "Add dark mode"\n\nThis reverts commit ${shaOf(1)}.`);
    assert.deepEqual(
      taken.map((op) => (op.op === "skip" ? op.shas : op.op)),
      [[shaOf(1), shaOf(2)]],
    );
  });

  it("keeps within what a campaign takes, whatever commits say", () => {
    const long = `Add ${"💥".repeat(500)}`;
    for (const messages of [[long], [long, "b", "c"], Array.from({ length: 250 }, (_, n) => `Change ${n}`)]) {
      const ops = opsOf(...messages);
      for (const op of ops) {
        assert.ok(op.op === "create" && op.shas.length <= 100);
        const { name, message } = op.campaign;
        assert.ok([...name].length <= 80 && [...(message?.title ?? "")].length <= 120);
        assert.ok([...(message?.body ?? "")].length <= 600);
      }
      const drafted = ops.flatMap((op) => (op.op === "create" ? op.shas : []));
      assert.equal(new Set(drafted).size, messages.length);
    }
  });

  it("withdraws as the claim proposes it, with the hash of the draft", () => {
    const campaignId = "cmp_1";
    const patch = { name: { before: "Darker", after: "Dark" } };
    const claim = claimOf();
    claim.withdrawals.push({ campaignId, contributions: [], patch });
    claim.drafts.push({ campaignId, contentHash: "0".repeat(64) } as SourceClaim["drafts"][number]);
    assert.deepEqual(draftPlainly(claim).ops, [
      { op: "withdraw", campaignId, patch, baseContentHash: "0".repeat(64) },
    ]);
  });
});
