import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { EligibilityOutcome, Gate, UNREACHABLE } from "../../src/features/eligibility/schema.ts";
import { sharedHouse } from "../harness.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/eligibility.md", import.meta.url));
const house = sharedHouse();

it("docs/eligibility.md has commands that run word for word and answer what it shows", async () => {
  const { secretKey } = await house.project();
  const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
  assert.deepEqual([commands.length, answers.length], [6, 4]);
  const env = { ...process.env, TIDINGS: house.url, API_KEY: secretKey };
  const run = promisify(execFile);
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands.join("\necho\n")], { env });
  assert.doesNotMatch(stdout, /\{"error"/);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
});

it("docs/eligibility.md has every outcome, gate and reason, and no other", () => {
  const names = (heading: string): string[] => {
    const [, table = ""] = new RegExp(`^\\| ${heading} \\|.*\\n([\\s\\S]*?)\\n\\n`, "m").exec(PAGE) ?? [];
    return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  };
  assert.deepEqual(names("outcome"), EligibilityOutcome.options);
  assert.deepEqual(
    names("gate").toSorted(),
    Gate.options.map(({ shape }): string => shape.gate.value).toSorted(),
  );
  assert.deepEqual(names("reason"), [...UNREACHABLE]);
});
