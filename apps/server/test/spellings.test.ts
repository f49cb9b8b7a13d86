import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedHouse, type TestProject } from "./harness.ts";

const house = sharedHouse();

const escaped = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The ways in which programs write the same value. */
const spellings: Readonly<Record<string, (value: unknown) => string>> = {
  raw: (value) => JSON.stringify(value),
  escaped: (value) => escaped(JSON.stringify(value)),
  "with blanks": (value) => JSON.stringify(value, null, 4),
};

const MOST_BYTES = 4_096;

/** An object that takes as many bytes as traits and props may, in letters of a script. */
const largest = (character: string): Record<string, string> => ({
  k: character.repeat(Math.floor((MOST_BYTES - '{"k":""}'.length) / Buffer.byteLength(character))),
});

/** An object that is as large, in as many values as fit into a batch of 500. */
const manyValues = (): Record<string, number> => {
  const all = Array.from({ length: 199 }, (_, index) => [`key-${String(index).padStart(8, "0")}`, 1_000]);
  return Object.fromEntries(all) as Record<string, number>;
};

const contents: Readonly<Record<string, Record<string, unknown>>> = {
  Cyrillic: largest("с"),
  emoji: largest("🎉"),
  "many values": manyValues(),
};

async function send(project: TestProject, path: string, body: string) {
  const response = await fetch(`${project.url}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

describe("the largest bodies are taken however they are written:", () => {
  for (const [content, object] of Object.entries(contents))
    for (const [spelling, written] of Object.entries(spellings))
      it(`${content}, ${spelling}`, async () => {
        const project = await house.project();
        const userId = (index: number) => "🎉".repeat(252) + String(index).padStart(4, "0");
        const users = Array.from({ length: 500 }, (_, index) => ({ userId: userId(index), traits: object }));
        const events = Array.from({ length: 500 }, (_, index) => ({
          userId: userId(index),
          event: "🎉".repeat(80),
          props: object,
          eventId: "🎉".repeat(124) + String(index).padStart(4, "0"),
        }));
        for (const [path, body] of [
          ["identify/batch", { users }],
          ["track/batch", { events }],
        ] as const) {
          const { status, answer } = await send(project, path, written(body));
          assert.deepEqual([status, answer.ok, answer.refused], [200, 500, 0]);
        }
        // A call for one user has room for 8 KiB of content, and the blanks count.
        if (content === "many values") return;
        for (const [path, body] of [
          ["identify", users[0]],
          ["track", events[0]],
        ] as const)
          assert.equal((await send(project, path, written(body))).status, 200);
        const { user } = await project.api.getUser({ path: { id: userId(0) } });
        assert.deepEqual(user.traits, object);
      });
});
