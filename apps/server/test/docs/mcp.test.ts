import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { toolsOf } from "../../src/features/mcp/tools.ts";
import { endpoints } from "../../src/features.ts";
import { sharedHouse } from "../harness.ts";
import { connect } from "../mcp.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/mcp.md", import.meta.url));
const house = sharedHouse();

it("docs/mcp.md has commands that run word for word, and answer what it shows", async () => {
  const { secretKey, api } = await house.project();
  const env = { ...process.env, TIDINGS: house.url, API_KEY: secretKey };
  const [config = "", ...answers] = blocksOf("json");
  const commands = blocksOf("bash");
  assert.equal(commands.length, answers.length);
  for (const [index, command] of commands.entries()) {
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], { env });
    assert.match(stdout, shownAnswer(answers[index] ?? ""));
  }
  assert.deepEqual(
    (await api.listGoals()).goals.map(({ name }) => name),
    ["Upgrades"],
  );
  assert.ok(JSON.parse(config));
});

it("docs/mcp.md shows a client how to connect", async () => {
  const project = await house.project();
  const { mcpServers } = JSON.parse(blocksOf("json")[0] ?? "") as {
    mcpServers: { tidings: { url: string; headers: { Authorization: string } } };
  };
  const { url, headers } = mcpServers.tidings;
  const key = headers.Authorization.replace("Bearer pk_...", project.secretKey);
  const { client } = await connect(project, new URL(url).pathname, key);
  assert.ok((await client.listTools()).tools.length > 0);
});

it("docs/mcp.md names every tool", () => {
  const section = PAGE.split("\n## ").find((part) => part.startsWith("Tools\n")) ?? "";
  const named = new Set([...section.matchAll(/`(\w+_\w+)`/g)].map(([, name]) => name));
  const names = toolsOf(endpoints).map(({ description }) => description.name);
  assert.deepEqual([...named].toSorted(), names.toSorted());
});
