import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { cleanUp, done, keysOf, migratedDataDir, serve, tidings } from "./spawned.ts";

after(cleanUp);

describe("tidings agent verify", () => {
  let env: { DATA_DIR: string };
  let keys: ProjectKeys;
  let head: { seq: number; hash: string };
  const verify = (...more: string[]) =>
    tidings(["agent", "verify", "--project", keys.projectId, ...more], env);

  /** Statements past all triggers. */
  async function damage(statement: string): Promise<void> {
    const address = embeddedAddress(env.DATA_DIR);
    const client = new pg.Client("host" in address ? address : {});
    await client.connect();
    try {
      await client.query("set session_replication_role = replica");
      assert.ok((await client.query(statement)).rowCount, statement);
    } finally {
      await client.end();
    }
  }

  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    const server = await serve({ ...env, RATE_LIMITS: "off" });
    keys = keysOf(server);
    const agent = createClient(server.url, keys.agentKey);
    // More than are read at once.
    for (let n = 1; n <= 201; n++) {
      const { run } = await agent.createAgentRun({ body: { kind: "note", rationale: `Number ${n}` } });
      head = { seq: run.chain?.seq ?? 0, hash: run.chain?.hash ?? "" };
    }
  });

  it("prints how many runs there are and the head of a chain that is whole", async () => {
    assert.equal(
      await done(verify()),
      `runs         201\ntranscripts  0\nhead number  201\nhead hash    ${head.hash}\n\nNothing is broken.\n`,
    );
    assert.deepEqual(JSON.parse(await done(verify("--json"))), {
      projectId: keys.projectId,
      runs: 201,
      transcripts: 0,
      headSeq: 201,
      headHash: head.hash,
      firstBreak: null,
    });
  });

  it("prints the first place at which it is broken, and ends with 1", async () => {
    await damage("update agent_runs set rationale = 'Number' where seq in (150, 190)");
    const { code, stdout } = await verify();
    assert.equal(code, 1);
    assert.match(
      stdout,
      /\n\nBroken at number 150, run_[0-9a-f-]{36}: its hash is not that of what it says\.\n$/,
    );
    const verdict = await verify("--json");
    const { firstBreak } = JSON.parse(verdict.stdout) as { firstBreak: { seq: number } };
    assert.deepEqual([verdict.code, firstBreak.seq], [1, 150]);
  });

  it("ends with 1 as well where there is no such project", async () => {
    const { code, stdout } = await tidings(["agent", "verify", "--project", "None"], env);
    assert.deepEqual([code, stdout], [1, ""]);
  });
});
