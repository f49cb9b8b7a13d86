import assert from "node:assert/strict";
import { it } from "node:test";
import { gzipSync } from "node:zlib";
import { type Start, startFile, uploadFile } from "../../../test/bringing.ts";
import { testHouse } from "../../../test/harness.ts";

const house = testHouse();

it("an archive of calls changes nothing that came by the intake already, and brings what did not", async () => {
  const project = await house.project();
  const call = (type: string, userId: string, messageId: string, more: object) => ({
    type,
    userId,
    messageId,
    timestamp: "2025-03-01T10:00:00.000Z",
    sentAt: "2025-03-01T10:00:01.000Z",
    receivedAt: "2025-03-01T10:00:01.000Z",
    ...more,
  });
  const long = "m".repeat(200);
  const came = [
    call("track", "ada", "m-1", { event: "upgraded", properties: { amount: 49 } }),
    call("track", "ada", long, { event: "opened" }),
    call("page", "ada", "m-2", { properties: { path: "/p", url: "https://a.example/p?x=1" } }),
    call("identify", "ada", "m-3", { traits: { plan: "pro" } }),
  ];
  const answer = await fetch(`${house.url}/v1/batch`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${project.secretKey}:`)}` },
    body: JSON.stringify({ batch: came }),
  });
  assert.deepEqual(await answer.json(), { success: true });

  const missed = [
    call("track", "bob", "m-4", { event: "upgraded" }),
    call("identify", "bob", "m-5", { traits: { plan: "free" } }),
  ];
  const archive = gzipSync([...came, ...missed].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const bring = async (kind: "users" | "events", start: Start = {}) => {
    const id = await uploadFile(project, archive, { kind, name: "1741000000000.gz" });
    const { state, lines, written, known, refused } = await startFile(house, project, id, start);
    return { state, lines, written, known, refused };
  };
  assert.deepEqual(await bring("events"), { state: "done", lines: 6, written: 1, known: 5, refused: 0 });
  assert.deepEqual(await bring("users", { whoLeft: "nobody" }), {
    state: "done",
    lines: 6,
    written: 1,
    known: 5,
    refused: 0,
  });
  assert.equal((await project.api.listEvents({})).total, 4);
  const { user } = await project.api.getUser({ path: { id: "bob" } });
  assert.deepEqual(user.traits, { plan: "free" });
  assert.equal(user.firstSeenAt, Date.parse("2025-03-01T10:00:00Z"));
});
