import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { anonymousId } from "../../src/domain/fields.ts";
import { visitorSettings } from "../../src/features/users/identities/settings.pure.ts";
import { sharedHouse } from "../harness.ts";
import { openBrowser, visitedProject } from "../visitors.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/visitors.md", import.meta.url));
const house = sharedHouse();

it("docs/visitors.md has commands that run word for word and answer what it shows", async () => {
  const project = await visitedProject(house);
  const { publishableKey, secretKey } = project;
  const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
  assert.ok(commands.length >= 4 && answers.length >= 4);
  const env = { ...process.env, TIDINGS: house.url, PUBLISHABLE_KEY: publishableKey, API_KEY: secretKey };
  const run = promisify(execFile);
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands.join("\necho\n")], { env });
  assert.doesNotMatch(stdout, /"error"/);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
  // The browser that was a visitor goes on as the user.
  const [, id = ""] = /ANONYMOUS_ID=(\w+)/.exec(PAGE) ?? [];
  await openBrowser(project, id).track("came_back");
  const { events } = await project.api.listUserEvents({ path: { id: "ada" } });
  assert.deepEqual(events.map(({ name }) => name).toSorted(), ["came_back", "prices_compared"]);
});

it("docs/visitors.md says how long visitors are kept, and how long an id may be", () => {
  const { fallback, parse } = visitorSettings["visitors.keepDays"];
  assert.ok(PAGE.includes(`(1 to 365 days, at first ${fallback})`));
  assert.ok(!parse.safeParse("366").success && !parse.safeParse("0").success);
  assert.ok(PAGE.includes("1 to 250 characters"));
  assert.deepEqual(
    [250, 251].map((length) => anonymousId.safeParse("x".repeat(length)).success),
    [true, false],
  );
});
