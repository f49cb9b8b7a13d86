import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startServer, testHouse } from "../../../../test/harness.ts";
import type { Story } from "./view.ts";

const house = testHouse({ demo: true });

const at = (path: string): string => `${house.url}/demo/agent${path}`;
const story = async (): Promise<Story> => (await fetch(at("/story"))).json() as Promise<Story>;

async function playDay(): Promise<Story> {
  const answer = await fetch(at("/days"), { method: "POST" });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json() as Promise<Story>;
}

async function playAll(): Promise<Story> {
  for (;;) {
    const now = await playDay();
    if (now.isOver) return now;
  }
}

describe("x", () => {
  it("plays", async () => {
    const t = performance.now();
    for (let i = 0; i < 10; i++) {
      const s = await playDay();
      console.log(
        Math.round(performance.now() - t),
        s.played,
        s.says,
        s.variants.map((v) => `${v.weight} ${v.saw} ${v.ordered}`).join(" | "),
      );
    }
    const s = await story();
    for (const r of s.runs) console.log(r.day, r.action, r.words);
    await house.drain();
    console.log(await house.differences());
  });
});
