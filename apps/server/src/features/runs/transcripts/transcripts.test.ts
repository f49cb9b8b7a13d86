import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { send } from "../../../../test/samples.ts";
import { canonicalJson } from "../../../platform/text/canonical.ts";
import { type Break, walkTranscripts } from "../chain/verify.ts";
import { getAgentRunTranscript } from "./get-agent-run-transcript.ts";
import { putAgentRunTranscript } from "./put-agent-run-transcript.ts";

const house = testHouse();

type Entries = Input<"putAgentRunTranscript">["body"]["entries"];
type Exchange = Pick<Entries[number], "request" | "response">;

/** The entries of a transcript, each with its hash as the docs say it. */
function chained(exchanges: readonly Exchange[]): Entries {
  let hash = "";
  return exchanges.map((exchange) => {
    hash = createHash("sha256")
      .update(hash + canonicalJson(exchange))
      .digest("hex");
    return { ...exchange, hash };
  });
}

const talk = (...contents: readonly string[]): Entries =>
  chained(
    contents.map((content) => ({ request: { content }, response: { tool: { "10": 1, "9": [content] } } })),
  );

const newRun = async (
  { agent }: TestProject,
  output: Record<string, unknown> | null = null,
): Promise<string> => (await agent.createAgentRun({ body: { kind: "note", output } })).run.id;

async function put({ agentKey }: TestProject, id: string, entries: unknown) {
  const { status, text } = await send(house, putAgentRunTranscript.spec, {
    path: { id },
    key: agentKey,
    raw: JSON.stringify({ entries }),
  });
  const { transcript, error } = JSON.parse(text) as { transcript?: Record<string, unknown>; error?: string };
  return { status, transcript, error };
}

const read = async ({ agentKey }: TestProject, id: string): Promise<string> =>
  (await send(house, getAgentRunTranscript.spec, { path: { id }, key: agentKey })).text;

const lastHash = (entries: Entries): string => entries.at(-1)?.hash ?? assert.fail();

async function broken({ projectId }: TestProject): Promise<(string | null)[][]> {
  const breaks: Break[] = [];
  await walkTranscripts(house.database.kysely, projectId, (found) => breaks.push(found));
  return breaks.map(({ runId, fault }) => [runId, fault]);
}

const WRONG = "must be the SHA-256 of the hash before it and the canonical JSON of request and response";

describe("putAgentRunTranscript", () => {
  it("keeps the entries as they came, to the byte, and answers a repeat with 200", async () => {
    const project = await house.project();
    const id = await newRun(project);
    const entries = chained([
      { request: { z: 1, a: "ünï 🎯 \u2028", n: [1.5e300, 1e-7, 0.1] }, response: { b: null, a: {} } },
      { request: {}, response: { deep: [[{ z: true, a: '\\"/' }]] } },
    ]);
    const receipt = { runId: id, entryCount: 2, hash: lastHash(entries), createdAt: house.now() };
    assert.deepEqual(await put(project, id, entries), { status: 201, transcript: receipt, error: undefined });
    house.advance(5_000);
    const answer = await read(project, id);
    assert.ok(answer.includes(JSON.stringify(entries)), answer);
    const { transcript } = await project.api.getAgentRunTranscript({ path: { id } });
    assert.deepEqual(transcript, {
      runId: id,
      entries,
      hash: lastHash(entries),
      createdAt: receipt.createdAt,
    });
    const again = await put(project, id, entries);
    assert.deepEqual(again, { status: 200, transcript: receipt, error: undefined });
  });

  it("is written once: other entries are a conflict", async () => {
    const project = await house.project();
    const id = await newRun(project);
    assert.equal((await put(project, id, talk("a", "b"))).status, 201);
    for (const other of [talk("a"), talk("a", "b", "c"), talk("b", "a")])
      assert.equal((await put(project, id, other)).status, 409);
    assert.ok((await read(project, id)).includes(JSON.stringify(talk("a", "b"))));
  });

  it("keeps one of several that come at once", async () => {
    const project = await house.project();
    const id = await newRun(project);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => put(project, id, talk(n % 2 === 0 ? "even" : "odd"))),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(201), count(200), count(409)], [1, 5, 6]);
  });

  it("names the first entry of which the hash is wrong", async () => {
    const project = await house.project();
    const id = await newRun(project);
    const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = talk("a", "b", "c");
    const [alone = assert.fail()] = talk("b");
    const cases: readonly [unknown[], number][] = [
      [[{ ...first, response: {} }, second], 0],
      [[first, alone], 1],
      [[first, third, second], 1],
      [[second, third], 0],
      [[first, second, { ...third, request: { content: "C" } }], 2],
    ];
    for (const [entries, at] of cases) {
      const { status, error } = await put(project, id, entries);
      assert.deepEqual([status, error], [400, `entries[${at}].hash ${WRONG}`]);
    }
    // A number that no double has could only be kept as another one, and the hash has to be that of what is read.
    const { status } = await send(house, putAgentRunTranscript.spec, {
      path: { id },
      key: project.agentKey,
      raw: `{"entries":[{"request":{"n":1e400},"response":{},"hash":"${first.hash}"}]}`,
    });
    assert.equal(status, 400);
    assert.equal((await refusal(project.api.getAgentRunTranscript({ path: { id } }))).status, 404);
  });

  it("must end with the hash that the run names", async () => {
    const project = await house.project();
    const entries = talk("a", "b");
    const id = await newRun(project, { decision: {}, transcriptHash: lastHash(entries) });
    for (const other of [talk("a"), talk("a", "c")]) {
      const { status, error } = await put(project, id, other);
      const wanted = "entries must end with the hash that the run names as its transcriptHash";
      assert.deepEqual([status, error], [400, wanted]);
    }
    assert.equal((await put(project, id, entries)).status, 201);
    const unnamed = await newRun(project, { transcriptHash: null });
    assert.equal((await put(project, unnamed, entries)).status, 201);
    assert.equal((await put(project, await newRun(project, { transcriptHash: 5 }), entries)).status, 400);
  });

  it("takes 1 to 500 entries of 1 MiB together", async () => {
    const project = await house.project();
    const many = (count: number) => talk(...Array.from({ length: count }, (_, n) => `${n}`));
    assert.equal((await put(project, await newRun(project), many(500))).status, 201);
    const id = await newRun(project);
    for (const entries of [[], many(501)]) {
      const { status, error } = await put(project, id, entries);
      assert.deepEqual([status, error?.startsWith("entries must ")], [400, true], error);
    }
    const sized = (bytes: number) => {
      const rest = bytes - JSON.stringify({ entries: talk("") }).length;
      return talk("x".repeat(rest / 2));
    };
    assert.equal((await put(project, id, sized(1024 * 1024 + 2))).status, 413);
    assert.equal((await put(project, id, sized(1024 * 1024))).status, 201);
  });

  it("is for runs of the project, with the secret key or the agent's", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const id = await newRun(project);
    const body = { entries: talk("a") };
    for (const path of [
      { id: await newRun(other) },
      { id: "nonsense" },
      { id: id.replace("run_", "goal_") },
    ]) {
      assert.equal((await refusal(project.api.putAgentRunTranscript({ path, body }))).status, 404);
      assert.equal((await refusal(project.api.getAgentRunTranscript({ path }))).status, 404);
    }
    assert.equal((await refusal(project.sdk.putAgentRunTranscript({ path: { id }, body }))).status, 403);
    await project.api.putAgentRunTranscript({ path: { id }, body });
    assert.equal((await refusal(other.agent.getAgentRunTranscript({ path: { id } }))).status, 404);
    assert.equal((await refusal(project.sdk.getAgentRunTranscript({ path: { id } }))).status, 403);
  });
});

describe("a transcript that was kept", () => {
  const damages: readonly [string, string, string][] = [
    [
      "a flipped letter",
      `update agent_transcripts set entries = replace(entries::text, 'second', 'Second')::json`,
      "the hash of entry 1 of its transcript is not that of what it says",
    ],
    [
      "an end that was cut off",
      "update agent_transcripts set entries = json_build_array(entries -> 0)",
      "its transcript is not the one that it names",
    ],
    [
      "another hash beside it",
      "update agent_transcripts set hash = repeat('a', 64)",
      "its transcript does not end with the hash that was kept",
    ],
  ];
  for (const [name, statement, fault] of damages)
    it(`shows ${name}, to the doctor as well`, async () => {
      const project = await house.project();
      const entries = talk("first", "second");
      const id = await newRun(project, { transcriptHash: lastHash(entries) });
      await put(project, id, entries);
      for (let n = 0; n < 11; n++) await put(project, await newRun(project), talk("other"));
      assert.deepEqual(await broken(project), []);
      const client = await house.database.pool.connect();
      const ofThis = `${statement} where run_id = '${id.slice("run_".length)}'`;
      await assert.rejects(client.query(ofThis), /are appended, never changed/);
      await client.query("set session_replication_role = replica");
      await client.query(ofThis);
      await client.query("reset session_replication_role");
      client.release();
      assert.deepEqual(await broken(project), [[id, fault]]);
      assert.deepEqual(await house.differences(project.projectId), {
        "transcripts: each is as it was handed in, and the one that its run names": 1,
      });
    });

  it("comes through an import as it was said, with the hash that its run names", async () => {
    const project = await house.project();
    const old = await newRun(project);
    const entries = talk(`What about ${old}?`);
    const id = await newRun(project, { transcriptHash: lastHash(entries) });
    await put(project, id, entries);
    const { project: there } = await importText(house, await exportText(house, project.projectId));
    const { runs } = await there.api.listAgentRuns();
    const run = runs.find(({ output }) => output !== null) ?? assert.fail();
    const { transcript } = await there.api.getAgentRunTranscript({ path: { id: run.id } });
    assert.deepEqual(transcript.entries, entries);
    assert.deepEqual(await broken(there), []);
    assert.deepEqual(await house.differences(there.projectId), {});
  });
});
