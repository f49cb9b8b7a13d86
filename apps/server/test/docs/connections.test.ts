import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { KEPT_DAYS } from "../../src/features/intake/counts.ts";
import { CALLS, CHANGED, MOST_CALLS, REFUSED } from "../../src/features/intake/schema.ts";
import { defaultBudgets } from "../../src/platform/http/budgets/budget.ts";
import { sharedHouse } from "../harness.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/connections.md", import.meta.url));
const house = sharedHouse();

/** What stands as code in the first cells of the table below a heading. */
function namesBelow(heading: string): string[] {
  const [section = ""] = PAGE.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
  const firstCells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  return firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

describe("docs/connections.md", () => {
  it("has commands that run word for word and answer what it shows", async () => {
    const { secretKey, api } = await house.project();
    const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
    assert.equal(commands.length, answers.length);
    const env = { ...process.env, TIDINGS: house.url, API_KEY: secretKey };
    const run = promisify(execFile);
    for (const [index, command] of commands.entries()) {
      const { stdout } = await run("bash", ["-euo", "pipefail", "-c", command], { env });
      assert.match(stdout, shownAnswer(answers[index] ?? "-"));
    }
    const { user } = await api.getUser({ path: { id: "ada" } });
    assert.deepEqual(user.traits, { plan: "pro" });
    assert.equal((await api.listUserEvents({ path: { id: "ada" } })).events.length, 1);
  });

  it("says of each call what becomes of it, and of each reason what to do", () => {
    assert.deepEqual(namesBelow("What becomes of a call"), [...CALLS]);
    assert.deepEqual(namesBelow("Reasons").toSorted(), [...REFUSED, ...CHANGED].toSorted());
  });

  it("says how much a request may have, how many are taken a minute, and how long it can be read what came", () => {
    assert.ok(PAGE.includes(`${MOST_CALLS.toLocaleString("en")} calls`));
    assert.ok(PAGE.includes(`${defaultBudgets.intake.toLocaleString("en")} requests a minute`));
    assert.ok(PAGE.includes(`kept for ${KEPT_DAYS} days`) && PAGE.includes(`up to ${KEPT_DAYS * 24}.`));
  });
});
