import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import {
  assertOneLine,
  cleanUp,
  keysOf,
  migratedDataDir,
  type Spawned,
  serve,
  stop,
  tidings,
  until,
} from "./spawned.ts";

type Diagnosis = {
  differences: number;
  checks: { name: string; differences: number; milliseconds: number }[];
};

let env: { DATA_DIR: string };
let server: Spawned;
let keys: ProjectKeys;
before(async () => {
  env = { DATA_DIR: await migratedDataDir() };
  server = await serve({ ...env, RATE_LIMITS: "off" });
  keys = keysOf(server);
});
after(cleanUp);

const doctor = (...options: string[]) => tidings(["doctor", ...options], env);

/** What it says as JSON, and its exit code. */
async function diagnosis(...options: string[]): Promise<Diagnosis & { code: number | null }> {
  const { code, stdout, stderr } = await doctor("--json", ...options);
  assert.equal(stderr, "");
  return { ...(JSON.parse(stdout) as Diagnosis), code };
}

/** One statement, past what the server would allow. */
async function damage(statement: string): Promise<void> {
  const address = embeddedAddress(env.DATA_DIR);
  const client = new pg.Client("host" in address ? address : {});
  await client.connect();
  try {
    assert.ok((await client.query(statement)).rowCount, statement);
  } finally {
    await client.end();
  }
}

describe("tidings doctor", () => {
  it("finds no difference in what a server writes at that moment", async () => {
    const [sdk, api] = [
      createClient(server.url, keys.publishableKey),
      createClient(server.url, keys.secretKey),
    ];
    const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const message = { presentation: "toast" as const, title: "Hello" };
    await api.createCampaign({ body: { name: "Toast", goalId: goal.id, message, launch: true } });
    let isOver = false;
    let visits = 0;
    let written = 0;
    const write = async <T>(done: Promise<T>): Promise<T> => {
      const answer = await done;
      written++;
      return answer;
    };
    /** A visitor who comes for the first time, meets the campaign, and pays; some are erased. */
    const visit = async (userId: string): Promise<void> => {
      await write(sdk.identify({ body: { userId, traits: { plan: userId.slice(-1), visits } } }));
      const { messages } = await write(sdk.getMessages({ query: { userId } }));
      for (const type of ["shown", "clicked"] as const)
        for (const { deliveryId: id } of messages)
          await write(sdk.sendDeliveryFeedback({ path: { id }, body: { userId, type, feedbackId: type } }));
      await write(sdk.track({ body: { userId, event: "paid", props: { amount: visits } } }));
      if (visits++ % 5 === 0) await write(api.eraseUser({ path: { id: userId } }));
    };
    const visitors = Array.from({ length: 12 }, async (_, visitor) => {
      for (let turn = 0; !isOver; turn++) await visit(`${visitor}-${turn}`);
    });
    try {
      await until(() => visits > 0, "somebody has paid");
      for (let round = 0; round < 3; round++) {
        const before = written;
        const { code, checks } = await diagnosis();
        assert.deepEqual(
          checks.filter(({ differences }) => differences > 0),
          [],
        );
        assert.equal(code, 0);
        assert.ok(written > before, "the server wrote meanwhile");
      }
    } finally {
      isOver = true;
      await Promise.all(visitors);
    }
    assert.equal((await diagnosis()).differences, 0);
  });

  it("prints a line for each check, and the sum", async () => {
    const { code, stdout } = await doctor();
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split("\n");
    const { checks } = await diagnosis();
    assert.match(lines.at(-1) ?? "", new RegExp(`^0 differences in ${checks.length} checks, [\\d.]+ s$`));
    assert.deepEqual(
      lines.slice(0, -1).map((line) => /^ +0 +\d+ ms {2}(.+)$/.exec(line)?.[1]),
      checks.map(({ name }) => name),
    );
  });

  it("explains its exit codes, and that it writes nothing", async () => {
    const { code, stdout } = await doctor("--help");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /--project <project>[\s\S]+--json[\s\S]+nothing is written[\s\S]+ 0 {2}[\s\S]+ 1 {2}[\s\S]+ 2 {2}/,
    );
  });

  it("exits 1 on a difference, says what to do, and finds it in its project alone", async () => {
    const made = await tidings(["project", "create", "--name", "Second", "--json"], env);
    const { projectId: second } = JSON.parse(made.stdout) as ProjectKeys;
    const api = createClient(server.url, keys.secretKey);
    const isUpToDate = async () => (await api.getOverview()).countedThrough === undefined;
    await until(isUpToDate, "the names of events are counted");
    await damage("update event_names set occurrences = occurrences + 1 where name = 'paid'");
    const name = "event names: users and occurrences";
    const { code, differences, checks } = await diagnosis();
    assert.deepEqual([code, differences], [1, 1]);
    assert.deepEqual(
      checks.filter((check) => check.differences > 0).map((check) => check.name),
      [name],
    );
    assert.deepEqual([(await diagnosis("--project", keys.projectId)).differences], [1]);
    const { code: ofSecond, differences: inSecond } = await diagnosis("--project", second);
    assert.deepEqual([ofSecond, inSecond], [0, 0]);
    const printed = await doctor();
    assert.equal(printed.code, 1);
    assert.match(printed.stdout, /^ +1 +\d+ ms {2}event names: users and occurrences$/m);
    assert.match(printed.stdout, /^1 difference in \d+ checks[\s\S]+The facts are right/m);
    assert.doesNotMatch(printed.stdout, /Rows contradict/);
    await damage("update event_names set occurrences = occurrences - 1 where name = 'paid'");
  });

  it("exits 2 where it cannot look", async () => {
    const unknown = await doctor("--project", "019b0000-0000-7000-8000-000000000000");
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assertOneLine(unknown.stderr, /^There is no project 019b0000/);
    const wrong = [["--project", "x"], ["--project"], ["--nonsense"]];
    for (const { code, stdout } of await Promise.all(wrong.map((options) => doctor(...options))))
      assert.deepEqual([code, stdout], [2, ""]);
    const away = await tidings(["doctor"], { DATABASE_URL: "postgres://x:hunter2@127.0.0.1:1/none" });
    assert.deepEqual([away.code, away.stdout], [2, ""]);
    assertOneLine(away.stderr, /^DATABASE_URL names a database that cannot be used/);
  });

  it("looks without a server too", async () => {
    await stop(server);
    assert.deepEqual(
      [(await diagnosis()).code, (await diagnosis("--project", keys.projectId)).differences],
      [0, 0],
    );
  });
});
