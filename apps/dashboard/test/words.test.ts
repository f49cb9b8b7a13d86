import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { describe, it } from "node:test";
import { counted } from "../src/platform/figures.ts";

const SRC = new URL("../src/", import.meta.url);

/** Every sentence of the dashboard that is made of something, with its name, made of a number wherever it takes something. */
async function sentencesOf(number: number): Promise<[string, string][]> {
  const files = globSync("**/*words.ts", { cwd: SRC }).sort();
  const found: [string, string][] = [];
  const collect = (name: string, value: unknown): void => {
    if (typeof value === "function") {
      const numbers = Array.from({ length: value.length }, () => number);
      try {
        found.push([name, String(value(...numbers))]);
      } catch {
        // It takes something else than texts and numbers, so it counts nothing.
      }
    } else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) collect(`${name}.${key}`, each);
  };
  for (const file of files) collect(file, await import(new URL(file, SRC).href));
  return found;
}

/** What the dashboard counts, as one of it is called. */
const THINGS = [
  "user",
  "mail",
  "push",
  "device",
  "day",
  "hour",
  "minute",
  "second",
  "time",
  "event",
  "campaign",
  "check",
  "condition",
  "change",
  "setting",
  "variant",
  "text",
  "verdict",
  "result",
  "passkey",
  "difference",
  "address",
  "value",
  "character",
  "process",
  "key",
  "version",
  "message",
  "row",
  "credit",
  "repository",
  "deployment",
  "page",
  "project",
  "file",
  "host",
  "picture",
  "session",
].join("|");
const BETWEEN = "(?:(?:more|other|known|running) )?";

/** A word of several behind a 1, or a verb of several. */
const OF_SEVERAL = new RegExp(
  `(?<![\\d.,])1 ${BETWEEN}(?:(?:${THINGS})(?:s|es)|repositories)\\b|(?<![\\d.,]|until )1 ${BETWEEN}(?:are|were|come|drop|wait|stop|go)\\b`,
);
/** A word of one behind none or several. */
const OF_ONE = new RegExp(`(?<![\\d.,]|\\ba )(?:0|2|1,?000) ${BETWEEN}(?:${THINGS})\\b(?!-)`);

describe("sentences that count", () => {
  it("speak of one thing as of one", async () => {
    const sentences = await sentencesOf(1);
    assert.ok(sentences.length > 100, `${sentences.length} sentences were found`);
    assert.deepEqual(
      sentences.filter(([, text]) => OF_SEVERAL.test(text)),
      [],
    );
  });

  it("speak of none and of several as of several", async () => {
    for (const number of [0, 2, 1_000])
      assert.deepEqual(
        (await sentencesOf(number)).filter(([, text]) => OF_ONE.test(text)),
        [],
      );
  });

  it("speak of all other numbers as of several, with the number as people write it", () => {
    assert.deepEqual(
      [0, 1, 2, 1_200].map((count) => counted(count, "user")),
      ["0 users", "1 user", "2 users", `${(1_200).toLocaleString()} users`],
    );
    assert.deepEqual(
      [0, 1, 2].map((count) => counted(count, "user gets", "users get")),
      ["0 users get", "1 user gets", "2 users get"],
    );
  });
});
