import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startFile, uploadFile } from "../../../../test/bringing.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { requestRate } from "../../../platform/http/request-rate.ts";

const house = testHouse();

const LINES = 1_000;
/** More requests a second than a quiet server has. */
const BUSY = 60;

/** Senders of requests: together they are many a second on a slow machine, too. */
const SENDERS = 8;

/** Sends requests, until it is stopped; `isSteady` resolves once the server is busy with them. */
function steadyRequests({ sdk }: TestProject) {
  let [isStopped, answered] = [false, 0];
  const steady = Promise.withResolvers<void>();
  const send = async () => {
    while (!isStopped) {
      await sdk.track({ body: { userId: `visitor-${answered % 20}`, event: "page_viewed" } });
      answered++;
      if (house.tidings.app.get(requestRate).perSecond() > BUSY) steady.resolve();
    }
  };
  const all = Promise.all(Array.from({ length: SENDERS }, send));
  all.catch(steady.reject);
  return {
    isSteady: steady.promise,
    async stop() {
      isStopped = true;
      await all;
      return answered;
    },
  };
}

describe("a file beside the requests of another project", () => {
  const stops: (() => Promise<unknown>)[] = [];
  after(() => Promise.all(stops.map((stop) => stop())));

  it("is brought in in small pieces, with every line once", async () => {
    const [project, neighbour] = [await house.project(), await house.project()];
    const lines = Array.from({ length: LINES }, (_, n) => `user-${n},plan-${n % 5}`);
    const id = await uploadFile(project, `id,plan\n${lines.join("\n")}\n`, { kind: "users" });
    const requests = steadyRequests(neighbour);
    stops.push(requests.stop);
    await requests.isSteady;
    const ended = await startFile(house, project, id);
    const answered = await requests.stop();
    assert.deepEqual(
      [ended.state, ended.lines, ended.written, ended.known, ended.refused],
      ["done", LINES, LINES, 0, 0],
    );
    const { rows } = await house.database.pool.query<{ users: number; pieces: number }>(
      "select count(*)::int as users, count(distinct xmin::text)::int as pieces from users where project_id = $1",
      [project.projectId],
    );
    assert.equal(rows[0]?.users, LINES);
    assert.ok((rows[0]?.pieces ?? 0) > 1, "a quiet server takes so few lines at once");
    const tracked = await house.database.pool.query<{ events: number }>(
      "select count(*)::int as events from events where project_id = $1",
      [neighbour.projectId],
    );
    assert.equal(tracked.rows[0]?.events, answered);
    assert.deepEqual(await house.differences(), {});
  });
});
