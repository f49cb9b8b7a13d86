import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  ask,
  cleanUp,
  done,
  killWhen,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

after(cleanUp);

/** Enough to be killed in the middle of. The command plays 2,000 customers where nothing is said. */
const CUSTOMERS = "150";

describe("tidings demo", () => {
  let env: { DATA_DIR: string };
  let server: Spawned;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
  });
  after(() => stop(server));

  const run = (...more: string[]) => tidings(["demo", ...more], env);
  const countUsers = async (): Promise<number> =>
    (await ask<{ users: string }>(env.DATA_DIR, "select count(*) as users from users")).map(({ users }) =>
      Number(users),
    )[0] ?? -1;

  /** Whether a process is playing a month at this moment, as the lock says that it has taken for that. */
  async function isPlaying(): Promise<boolean> {
    const rows = await ask(
      env.DATA_DIR,
      "select from pg_locks where locktype = 'advisory' and classid = 7403005",
    );
    return rows.length > 0;
  }

  it("killed in the middle leaves nothing, and another run makes all of it, beside a running server", async () => {
    const seen = { playing: false };
    const looking = (async () => {
      while (!seen.playing) seen.playing = await isPlaying();
    })();
    const { code } = await killWhen(["demo", "--customers", CUSTOMERS], env, () => seen.playing);
    await looking;
    assert.equal(code, null, "it was killed before it had ended");
    assert.equal(await countUsers(), 0);

    const filled = JSON.parse(await done(run("--customers", CUSTOMERS, "--json"))) as {
      projectId: string;
      result: string;
    };
    assert.equal(filled.result, "filled");
    assert.equal(await countUsers(), Number(CUSTOMERS));
    const page = await fetch(`${server.url}/demo`);
    assert.equal(page.status, 200);
    const key = /data-key="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const [customer] = await ask<{ external_id: string }>(
      env.DATA_DIR,
      "select external_id from users where traits->>'newsletter' = 'false' order by external_id limit 1",
    );
    const query = new URLSearchParams({ userId: customer?.external_id ?? "", path: "/coffee" });
    const answer = await fetch(`${server.url}/api/v1/messages?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200, "the server knows the project as it is now");
    assert.match(await done(tidings(["doctor"], env)), /\n0 differences in /);
  });

  it("does nothing where there is a month, and makes another one with --again", async () => {
    const [before] = await ask<{ project_id: string }>(env.DATA_DIR, "select project_id from demo_shop");
    assert.match(await done(run()), /has its month already: nothing was done/);
    assert.match(
      await done(run("--again", "--customers", CUSTOMERS)),
      /has a month of customers, campaigns and results now/,
    );
    const [now] = await ask<{ project_id: string }>(env.DATA_DIR, "select project_id from demo_shop");
    assert.notEqual(now?.project_id, before?.project_id);
    assert.equal(await countUsers(), Number(CUSTOMERS));
    assert.match(await done(tidings(["doctor"], env)), /\n0 differences in /);
  });

  it("fills an empty project that is named, and refuses one that is in use", async () => {
    await done(tidings(["project", "create", "--name", "Trial"], env));
    await done(run("--project", "Trial", "--customers", CUSTOMERS));
    const [{ id } = { id: "" }] = await ask<{ id: string }>(
      env.DATA_DIR,
      "select id from projects where name = 'Trial'",
    );
    const [sent] = await ask<{ mails: string }>(
      env.DATA_DIR,
      "select count(*) as mails from email_attempts where project_id = $1",
      [id],
    );
    assert.ok(Number(sent?.mails) > 0);
    await refused(run("--project", "My project", "--again"), /--again makes the demo's project anew/);
    await done(tidings(["project", "create", "--name", "Used"], env));
    await ask(
      env.DATA_DIR,
      "insert into users (lane, user_key, project_id, external_id, first_seen_at, last_seen_at) select 0, gen_random_uuid(), id, 'ada', 1, 1 from projects where name = 'Used'",
    );
    await refused(run("--project", "Used"), /has users or campaigns of its own/);
    await refused(run("--customers", "5"), /from 100 to 20000/);
  });
});
