import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { readMigrations } from "../../src/platform/db/migrate.ts";
import { copyPostgres } from "../data-folder.ts";
import { assertEmpty, contentOf, withClient } from "../moving.ts";
import { type OwnDatabase, ownDatabases } from "../own-database.ts";
import { live, seen } from "./backup.ts";
import {
  assertOneLine,
  cleanUp,
  done,
  type Ended,
  feed,
  keysOf,
  migratedDataDir,
  newDataDir,
  refused,
  serve,
  stop,
  tidings,
  until,
} from "./spawned.ts";

const ownDatabase = ownDatabases();
after(cleanUp);

type Folder = { DATA_DIR: string };

/** The folder that all are copies of: a server lived in it, and has stopped. */
let lived: Folder;
let keys: ProjectKeys;
let seenBefore: Awaited<ReturnType<typeof seen>>;
let campaignIds: string[];
before(async () => {
  lived = { DATA_DIR: await migratedDataDir() };
  const server = await serve(lived);
  keys = keysOf(server);
  await live(lived, server, keys);
  seenBefore = await seen(server.url, keys);
  campaignIds = await campaignsOf(server.url);
  await stop(server);
});

const api = (url: string) => createClient(url, keys.secretKey);
const campaignsOf = async (url: string): Promise<string[]> =>
  (await api(url).listCampaigns()).campaigns.map(({ id }) => id);

/** A copy of the folder: its own data, and the same key. */
async function copied(): Promise<Folder> {
  const folder = { DATA_DIR: await newDataDir() };
  await copyPostgres(lived.DATA_DIR, folder.DATA_DIR);
  writeFileSync(join(folder.DATA_DIR, "secret.key"), keyFile());
  return folder;
}

const keyFile = (): string => readFileSync(join(lived.DATA_DIR, "secret.key"), "utf8");
const moveFile = ({ DATA_DIR }: Folder): string => join(DATA_DIR, "moved.json");
const stateOf = (folder: Folder): string =>
  (JSON.parse(readFileSync(moveFile(folder), "utf8")) as { state: string }).state;

const atTarget = <T>({ DATABASE_URL }: OwnDatabase, act: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient({ connectionString: DATABASE_URL }, act);

const move = (folder: Folder, to: OwnDatabase, ...options: string[]): Promise<Ended> =>
  tidings(["move", ...options], { ...folder, MOVE_TO: to.DATABASE_URL });

/** The environment of a server on the database that was moved to. */
const served = (folder: Folder, { DATABASE_URL }: OwnDatabase) => ({
  ...folder,
  DATABASE_URL,
  SECRET_KEY: keyFile().trim(),
});

const MOVED =
  /^The data of DATA_DIR .* was moved to .* on 20.* UTC: set DATABASE_URL to it\. To go on .* remove .*moved\.json\.$/m;
const INTERRUPTED = /was interrupted at its last step.*run the same "tidings move" again/;

/** That commands and servers start on the folder alone. */
async function assertServedHere(folder: Folder): Promise<void> {
  assert.ok(!existsSync(moveFile(folder)));
  assert.equal((await tidings(["doctor"], folder)).code, 0);
}

/** That everything is there, and that nothing starts on the folder. */
async function assertServedThere(folder: Folder, to: OwnDatabase): Promise<void> {
  assert.equal(stateOf(folder), "done");
  await refused(tidings(["project", "list"], folder), MOVED);
  const { code, stdout } = await tidings(["doctor"], served(folder, to));
  assert.equal(code, 0, stdout);
}

/** A migrated target in which a statement of a move waits until `release`. */
async function waitingTarget(trigger: string): Promise<{
  to: OwnDatabase;
  /** The process of PostgreSQL that waits, once one does. */
  waiting(): Promise<number>;
  release(): Promise<void>;
  end(): Promise<void>;
  kill(pid: number): Promise<void>;
}> {
  const to = await ownDatabase();
  assert.equal((await tidings(["migrate"], to)).code, 0);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<pg.Client>();
  const whole = atTarget(to, async (client) => {
    await client.query(
      "create function wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(42); return new; end'",
    );
    await client.query(trigger);
    await client.query("select pg_advisory_lock(42)");
    begin(client);
    await over;
  });
  const admin = await begun;
  return {
    to,
    async waiting() {
      let pid: number | undefined;
      await until(async () => {
        const { rows } = await admin.query<{ pid: number }>(
          "select pid from pg_locks where locktype = 'advisory' and not granted",
        );
        pid = rows[0]?.pid;
        return pid !== undefined;
      }, "the move waits");
      return pid ?? 0;
    },
    async release() {
      await admin.query("select pg_advisory_unlock(42)");
    },
    async kill(pid) {
      await admin.query("select pg_terminate_backend($1, 10000)", [pid]);
    },
    async end() {
      end();
      await whole;
    },
  };
}

const AMID_ROWS = "create trigger wait before insert on users for each row execute function wait()";
const AT_COMMIT =
  "create constraint trigger wait after insert on organizations deferrable initially deferred for each row execute function wait()";

/** A move in a process of its own, that can be killed. */
const begun = (folder: Folder, to: OwnDatabase) =>
  feed(["move"], { ...folder, MOVE_TO: to.DATABASE_URL }, "");

describe("tidings move", () => {
  it("brings everything to another PostgreSQL, which serves it under the same keys, ids and links", async () => {
    const folder = await copied();
    const to = await ownDatabase();
    const output = await done(move(folder, to));
    assert.match(output, /Copied [\d,]+ rows of \d+ tables.*\nRecounted by \d+ checks/);
    assert.match(
      output,
      /Moved \d+ rows of \d+ tables to [^\n]+\n[\s\S]*1\. Set DATABASE_URL[\s\S]*secret\.key/,
    );
    await assertServedThere(folder, to);
    await refused(tidings(["serve"], folder), MOVED);
    await refused(move(folder, await ownDatabase()), MOVED);

    const server = await serve(served(folder, to));
    assert.deepEqual(await seen(server.url, keys), seenBefore);
    assert.deepEqual(await campaignsOf(server.url), campaignIds);
    await api(server.url).track({ body: { userId: "new", event: "looked" } });
    await api(server.url).createCampaign({
      body: { name: "Next", message: { presentation: "toast", title: "A" } },
    });
    const opened = await tidings(
      ["settings", "get", "--project", keys.projectId, "--json"],
      served(folder, to),
    );
    assert.equal(opened.code, 0, opened.stderr);
    await stop(server);
    assert.equal((await tidings(["doctor"], served(folder, to))).code, 0);

    rmSync(moveFile(folder));
    await assertServedHere(folder);
  });

  it("rehearses everything, and leaves both as they were", async () => {
    const folder = await copied();
    const to = await ownDatabase();
    const output = await done(move(folder, to, "--check"));
    assert.match(
      output,
      /Recounted by \d+ checks[^\n]*\nNothing was moved: this was a rehearsal, and \d+ rows/,
    );
    await atTarget(to, assertEmpty);
    await assertServedHere(folder);
    await done(move(folder, to));
    await assertServedThere(folder, to);
  });

  it("migrates a database that lacks migrations", async () => {
    const folder = await copied();
    const to = await ownDatabase();
    await atTarget(to, async (client) => {
      await client.query(
        "create table migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
      );
      for (const { name, digest, sql, indexes } of (await readMigrations()).slice(0, 20)) {
        assert.deepEqual(indexes, []);
        await client.query(sql);
        await client.query("insert into migrations (name, digest) values ($1, $2)", [name, digest]);
      }
    });
    await done(move(folder, to));
    await assertServedThere(folder, to);
  });

  it("has the same rows in all tables on both sides", async () => {
    const folder = await copied();
    const to = await ownDatabase();
    await done(move(folder, to));
    rmSync(moveFile(folder));
    const there = await atTarget(to, contentOf);
    // The other way round, by a second move of the same folder: two moves of the same rows.
    const second = await ownDatabase();
    await done(move(folder, second));
    assert.deepEqual(await atTarget(second, contentOf), there);
  });
});

describe("a move that is refused", () => {
  it("says what is missing or wrong, in one line without the password", async () => {
    const to = await ownDatabase();
    const wrong = (change: (url: URL) => void): OwnDatabase => {
      const url = new URL(to.DATABASE_URL);
      change(url);
      return { ...to, DATABASE_URL: url.href };
    };
    const nothing = { DATA_DIR: await newDataDir() };
    await refused(tidings(["move"], lived), /^Say where the data goes, as in DATABASE_URL: --to postgres:/);
    await refused(
      tidings(["move", "--to", "postgres://ada:hunter2#@host/db"], lived),
      /^--to is not usable: must be/,
    );
    await refused(
      move(lived, { ...to, DATABASE_URL: "mysql://ada:hunter2@host/db" }),
      /^MOVE_TO is not usable/,
    );
    await refused(
      tidings(["move"], { ...lived, ...to, MOVE_TO: to.DATABASE_URL }),
      /^DATABASE_URL is set, .*pg_dump/,
    );
    await refused(move(nothing, to), /^There is no data in /);
    await refused(
      move(
        lived,
        wrong((url) => {
          url.pathname = "/gone";
        }),
      ),
      /^MOVE_TO names a database .*"gone" does not exist: make it, or name another one in MOVE_TO\.$/m,
    );
    await refused(
      move(
        lived,
        wrong((url) => {
          url.username = "stranger";
        }),
      ),
      /^MOVE_TO names a database .*role "stranger" does not exist/,
    );
    await refused(
      move(lived, { ...to, DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/db" }),
      /^MOVE_TO names a database .*ECONNREFUSED.*nothing listens there/,
    );
    await assertServedHere(lived);
  });

  it("has --to go before MOVE_TO", async () => {
    const to = await ownDatabase();
    await refused(
      tidings(["move", "--to", "postgres://ada:hunter2@127.0.0.1:1/db"], {
        ...lived,
        MOVE_TO: to.DATABASE_URL,
      }),
      /^--to names a database/,
    );
  });

  it("wants the server stopped", async () => {
    const folder = await copied();
    const server = await serve(folder);
    await refused(move(folder, await ownDatabase()), /is running on DATA_DIR .*: stop it first/);
    await stop(server);
  });

  it("takes no database with rows in it, and leaves them alone", async () => {
    const to = await ownDatabase();
    assert.equal((await tidings(["migrate"], to)).code, 0);
    assert.equal((await tidings(["project", "create", "--name", "Theirs"], to)).code, 0);
    const content = await atTarget(to, contentOf);
    const { code, stderr } = await move(lived, to);
    assert.equal(code, 1);
    assertOneLine(
      stderr,
      /^Nothing was moved: The database that was named has rows already \(.*organizations/,
    );
    assert.deepEqual(await atTarget(to, contentOf), content);
    await assertServedHere(lived);
  });

  it("has nothing to move where there is no project", async () => {
    const empty = { DATA_DIR: await migratedDataDir() };
    const { code, stderr } = await move(empty, await ownDatabase());
    assert.equal(code, 1);
    assertOneLine(stderr, /^Nothing was moved: there is no project in DATA_DIR/);
  });

  it("leaves nothing where a table cannot be written", async () => {
    const to = await ownDatabase();
    assert.equal((await tidings(["migrate"], to)).code, 0);
    await atTarget(to, (client) => client.query("alter table events add constraint never check (false)"));
    const { code, stdout, stderr } = await move(lived, to);
    assert.equal(code, 1);
    assert.match(stdout, /events could not be copied/);
    assertOneLine(stderr, /^Nothing was moved: .*violates check constraint "never"/);
    await atTarget(to, assertEmpty);
    await assertServedHere(lived);
  });

  it("leaves nothing where the commit is refused", async () => {
    const to = await ownDatabase();
    assert.equal((await tidings(["migrate"], to)).code, 0);
    await atTarget(to, async (client) => {
      await client.query(
        "create function refuse() returns trigger language plpgsql as $$begin raise exception 'not today'; end$$",
      );
      await client.query(AT_COMMIT.replace("wait()", "refuse()"));
    });
    const { code, stderr } = await move(lived, to);
    assert.equal(code, 1);
    assertOneLine(stderr, /^Nothing was moved: not today\.$/m);
    await atTarget(to, assertEmpty);
    await assertServedHere(lived);
  });
});

describe("a move that is cut off", () => {
  it("amid the rows leaves both as they were, and can be had again; nothing else connects meanwhile", async () => {
    const folder = await copied();
    const target = await waitingTarget(AMID_ROWS);
    const { child, ended } = begun(folder, target.to);
    const pid = await target.waiting();
    await refused(tidings(["serve"], folder), /Another Tidings server is running/);
    await refused(move(folder, target.to), /is running on DATA_DIR .*: stop it first/);
    child.kill("SIGKILL");
    await ended;
    await target.kill(pid);
    await target.release();
    await atTarget(target.to, assertEmpty);
    await assertServedHere(folder);
    await done(move(folder, target.to));
    await target.end();
    await assertServedThere(folder, target.to);
  });

  it("by a kill while it commits what then is committed, is not served twice, and is finished by the next", async () => {
    const folder = await copied();
    const target = await waitingTarget(AT_COMMIT);
    const { child, ended } = begun(folder, target.to);
    await target.waiting();
    assert.equal(stateOf(folder), "ending");
    child.kill("SIGKILL");
    await ended;
    await refused(
      tidings(["doctor"], folder).then((each) => ({ ...each, code: each.code === 2 ? 1 : each.code })),
      INTERRUPTED,
    );
    await refused(tidings(["serve"], folder), INTERRUPTED);
    await refused(move(folder, target.to, "--check"), INTERRUPTED);
    // The transaction goes on without the process that began it.
    const next = move(folder, target.to);
    await target.release();
    // It also says that it stops the PostgreSQL of the killed process.
    const { code, stdout } = await next;
    assert.equal(code, 0);
    assert.match(stdout, /the earlier move had brought it there/);
    await target.end();
    await assertServedThere(folder, target.to);
  });

  it("by a kill while it commits what then is not, is begun again by the next, and only to the same place", async () => {
    const folder = await copied();
    const target = await waitingTarget(AT_COMMIT);
    const { child, ended } = begun(folder, target.to);
    const pid = await target.waiting();
    child.kill("SIGKILL");
    await ended;
    await target.kill(pid);
    await atTarget(target.to, assertEmpty);
    await refused(tidings(["serve"], folder), INTERRUPTED);
    const elsewhere = await move(folder, await ownDatabase());
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /An earlier move to .* was interrupted .*name that database/);
    await target.release();
    assert.match(await done(move(folder, target.to)), /brought nothing there: it is begun again/);
    await target.end();
    await assertServedThere(folder, target.to);
  });

  it("by a lost connection while it commits, finds out that nothing is there", async () => {
    const folder = await copied();
    const target = await waitingTarget(AT_COMMIT);
    const { ended } = begun(folder, target.to);
    await target.kill(await target.waiting());
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assertOneLine(stderr, /^Nothing was moved: /);
    await target.release();
    await target.end();
    await atTarget(target.to, assertEmpty);
    await assertServedHere(folder);
  });
});
