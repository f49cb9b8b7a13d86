import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, TidingsError } from "@tidings/client";
import pg from "pg";
import type { ProjectKeys } from "../src/features/access/public.ts";
import { cleanUp, keysOf, type Spawned, serve, stop, until } from "./commands/spawned.ts";
import { type OwnDatabase, ownDatabases } from "./own-database.ts";
import { leftOutOfBrief } from "./rounds.ts";

const newDatabase = ownDatabases();
after(cleanUp);

const LIMITS = { goals: 30, campaigns: 1_200, track: 3_000, reports: 120 };

/** How long a budget may take to be spent, on a slow machine. */
const PATIENCE_MS = 180_000;

type Ask = (server: Spawned) => Promise<unknown>;

/** Whether a request was let in; any refusal but that of the budget fails. */
async function isAdmitted(ask: Ask, server: Spawned): Promise<boolean> {
  try {
    await ask(server);
    return true;
  } catch (error) {
    if (!(error instanceof TidingsError) || error.status !== 429) throw error;
    assert.match(error.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    return false;
  }
}

describe("several processes on one database", { concurrency: false }, () => {
  let env: OwnDatabase & { AUTO_MIGRATE: string; ROLES: string; RATE_LIMITS: string };
  let database: pg.Client;
  let keys: ProjectKeys;
  let one: Spawned;
  let other: Spawned;

  const listGoals: Ask = ({ url }) => createClient(url, keys.secretKey).listGoals();
  const listCampaigns: Ask = ({ url }) => createClient(url, keys.secretKey).listCampaigns();
  const getOverview: Ask = ({ url }) => createClient(url, keys.secretKey).getOverview();
  const track: Ask = ({ url }) =>
    createClient(url, keys.publishableKey).track({ body: { userId: "ada", event: "signed_up" } });

  before(async () => {
    env = {
      ...(await newDatabase()),
      AUTO_MIGRATE: "1",
      ROLES: "api",
      RATE_LIMITS: JSON.stringify(LIMITS),
    };
    one = await serve(env);
    keys = keysOf(one);
    database = new pg.Client({ connectionString: env.DATABASE_URL });
    await database.connect();
  });
  after(() => database.end());

  const rowCount = async (table: string): Promise<number> => {
    const { rows } = await database.query<{ count: string }>(`select count(*) as count from ${table}`);
    return Number(rows[0]?.count);
  };
  /** Rows written so far where budgets are shared: each is a statement, or less. */
  const statements = async (): Promise<number> => {
    const { rows } = await database.query<{ written: string }>(
      `select n_tup_ins + n_tup_upd as written from pg_stat_user_tables where relname = 'shared_budgets'`,
    );
    return Number(rows[0]?.written);
  };

  /**
   * Asks each server as its pace says, until the budget has been spent for some time; answers how many were let in, and how
   * many one process would have let in.
   */
  async function hammer(ask: Ask, perMinute: number, spentForMs: number, paces: readonly Pace[]) {
    const begun = performance.now();
    let endsAt = begun + PATIENCE_MS;
    let sent = 0;
    let admitted = 0;
    const run = async ({ server, restMs }: Pace): Promise<void> => {
      while (performance.now() < endsAt) {
        sent++;
        if (await isAdmitted(ask, server)) admitted++;
        else endsAt = Math.min(endsAt, performance.now() + spentForMs);
        if (restMs > 0) await sleep(restMs);
      }
    };
    await Promise.all(paces.flatMap((pace) => Array.from({ length: pace.callers }, () => run(pace))));
    const tookMs = performance.now() - begun;
    assert.ok(tookMs < PATIENCE_MS, "the budget is spent");
    return { sent, admitted, back: (perMinute * tookMs) / 60_000, tookMs };
  }
  type Pace = { server: Spawned; callers: number; restMs: number };

  it("one process alone counts exactly, without the database", async () => {
    const answers = await Promise.all(
      Array.from({ length: LIMITS.goals + 1 }, () => isAdmitted(listGoals, one)),
    );
    assert.equal(answers.filter((each) => each).length, LIMITS.goals);
    assert.equal(await rowCount("shared_budgets"), 0);
  });

  it("what it has counted holds for one that joins", async () => {
    other = await serve(env);
    await until(async () => (await rowCount("shared_budgets")) > 0, "the first one has told what it counted");
    // A request comes back each two seconds.
    const answers = await Promise.all(Array.from({ length: 30 }, () => isAdmitted(listGoals, other)));
    const admitted = answers.filter((each) => each).length;
    assert.ok(admitted < 15, `${admitted} of 30 were let in`);
    assert.equal(await isAdmitted(listCampaigns, other), true);
  });

  const cases = [
    { name: "a small budget", ask: () => getOverview, perMinute: LIMITS.reports, options: {} },
    {
      name: "one of management",
      ask: () => listCampaigns,
      perMinute: LIMITS.campaigns,
      options: leftOutOfBrief(),
    },
    { name: "a large one of pages", ask: () => track, perMinute: LIMITS.track, options: leftOutOfBrief() },
  ];
  for (const { name, ask, perMinute, options } of cases) {
    it(`${name} is shared within 10 %, at uneven paces`, options, async () => {
      const before = await statements();
      const { sent, admitted, back, tookMs } = await hammer(ask(), perMinute, 3_000, [
        { server: one, callers: 12, restMs: 10 },
        { server: other, callers: 2, restMs: 20 },
      ]);
      const alone = perMinute + back;
      assert.ok(Math.abs(admitted - alone) <= alone / 10, `${admitted} of ${alone} were let in`);
      // Statistics of tables come with a delay.
      await sleep(1_500);
      const made = (await statements()) - before;
      const allowed = 100 + (25 * tookMs) / 1_000;
      assert.ok(made > 0 && made < allowed, `${made} statements for ${sent} requests`);
    });
  }

  /** Spends the budget of campaigns where these ask; answers when that was done. */
  const spend = async (servers: readonly Spawned[]): Promise<number> => {
    await hammer(
      listCampaigns,
      LIMITS.campaigns,
      600,
      servers.map((server) => ({ server, callers: 12, restMs: 0 })),
    );
    return performance.now();
  };
  /** Fails unless what is let in from now on is what has come back since the budget was spent. */
  const comesBack = async (spentAt: number, forMs: number, paces: readonly Pace[]): Promise<void> => {
    const { admitted } = await hammer(listCampaigns, LIMITS.campaigns, forMs, paces);
    const back = (LIMITS.campaigns * (performance.now() - spentAt)) / 60_000;
    assert.ok(admitted > back * 0.6 && admitted < back * 1.3, `${admitted} of ${back} were let in`);
  };

  it("one that hardly asks gives back what it does not use", leftOutOfBrief(), async () => {
    await comesBack(await spend([one]), 8_000, [
      { server: one, callers: 4, restMs: 5 },
      { server: other, callers: 1, restMs: 2_500 },
    ]);
  });

  it(
    "one that is killed holds nothing back, and the last one counts alone again",
    leftOutOfBrief(),
    async () => {
      // What comes back to the killed one is given to the other when it is found to be gone, in whichever moment that is.
      const spentAt = await spend([one, other]);
      other.child.kill("SIGKILL");
      await other.ended;
      await comesBack(spentAt, 4_000, [{ server: one, callers: 4, restMs: 5 }]);
      await until(async () => (await rowCount("shared_budgets")) === 0, "it counts alone", 30_000);
      await comesBack(await spend([one]), 4_000, [{ server: one, callers: 4, restMs: 5 }]);
      assert.equal(await rowCount("shared_budgets"), 0);
    },
  );

  it("one that stops is no longer counted", leftOutOfBrief(), async () => {
    // The one that was killed is listed until it is evicted, and counted no more.
    const counted = "processes where serves and seen_at > clock_timestamp() - interval '5 s'";
    const known = await rowCount(counted);
    other = await serve(env);
    assert.equal(await rowCount(counted), known + 1);
    assert.equal((await stop(other)).code, 0);
    assert.equal(await rowCount(counted), known);
  });
});
