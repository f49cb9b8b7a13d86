import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { GUARDRAILS } from "../../src/features/campaigns/goals/guardrails.pure.ts";
import { sharedHouse } from "../harness.ts";

const PAGE = await readFile(new URL("../../../../docs/guardrails.md", import.meta.url), "utf8");
const house = sharedHouse();

const blocksOf = (language: string): string[] =>
  [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, given]) => given === language)
    .map(([, , text = ""]) => text.trim());

it("docs/guardrails.md has commands that run word for word, and are refused as it says", async () => {
  const { secretKey } = await house.project();
  const env = { ...process.env, TIDINGS: house.url, API_KEY: secretKey };
  const [scripts, answers] = [blocksOf("bash"), blocksOf("json")];
  assert.ok(scripts.length > 1 && scripts.length === answers.length);
  for (const [index, script] of scripts.entries()) {
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { env });
    assert.equal(stdout.trim(), answers[index]);
  }
  for (const guardrail of GUARDRAILS) assert.ok(PAGE.includes(`\`${guardrail}\``), guardrail);
});
