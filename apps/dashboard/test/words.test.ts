import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { describe, it } from "node:test";
import { counted } from "../src/platform/figures.ts";

const SRC = new URL("../src/", import.meta.url);

/** Every sentence of the dashboard that is made of something, with its name, made of 1 wherever it takes something. */
async function sentencesOfOne(): Promise<[string, string][]> {
  const files = globSync("**/*words.ts", { cwd: SRC }).sort();
  const found: [string, string][] = [];
  const collect = (name: string, value: unknown): void => {
    if (typeof value === "function") {
      const ones = Array.from({ length: value.length }, () => 1);
      try {
        found.push([name, String(value(...ones))]);
      } catch {
        // It takes something else than texts and numbers, so it counts nothing.
      }
    } else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) collect(`${name}.${key}`, each);
  };
  for (const file of files) collect(file, await import(new URL(file, SRC).href));
  return found;
}

/** A word of several behind a 1, or a verb of several. */
const OF_SEVERAL =
  /(?<![\d.,])1 (?:(?:more|other|known|running) )?(?:(?:user|mail|push|device|day|hour|minute|second|time|event|campaign|check|condition|change|setting|variant|text|verdict|result|passkey|difference)(?:s|es)|addresses)\b|(?<![\d.,]|until )1 (?:(?:more|other) )?(?:are|were|come|drop|wait|stop|go)\b/;

describe("sentences that count", () => {
  it("speak of one thing as of one", async () => {
    const sentences = await sentencesOfOne();
    assert.ok(sentences.length > 100, `${sentences.length} sentences were found`);
    assert.deepEqual(
      sentences.filter(([, text]) => OF_SEVERAL.test(text)),
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
