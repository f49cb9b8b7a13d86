import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { testHouse } from "../harness.ts";
import { shownAnswer } from "./shown-answer.ts";

const README = new URL("../../../../README.md", import.meta.url);
const house = testHouse();

type Block = { language: string; text: string };

/** The fenced blocks of the README's quickstart, in order. */
async function quickstart(): Promise<Block[]> {
  const readme = await readFile(README, "utf8");
  const section = readme.split("\n## ").find((part) => part.startsWith("Quickstart")) ?? "";
  return [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

it("the README's quickstart runs word for word and answers what it shows", async () => {
  const { publishableKey, secretKey, api } = await house.project();
  const blocks = await quickstart();
  const commands = blocks.filter((block) => block.language === "bash").map((block) => block.text);
  const answers = blocks.filter((block) => block.language === "json").map((block) => block.text);
  assert.ok(commands.length >= 5 && answers.length === 2, "the quickstart has its commands and answers");

  const env = { ...process.env, TIDINGS: house.url, PUBLISHABLE_KEY: publishableKey, API_KEY: secretKey };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands.join("\n")], {
    env,
  });
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));

  const { campaigns } = await api.listCampaigns();
  const [campaign] = campaigns;
  assert.deepEqual(
    [campaign?.stats.shown, campaign?.stats.clicked, campaign?.stats.converted],
    [1, 1, 1],
    "the statistics agree",
  );
  assert.deepEqual(await house.differences(), {});
});
