import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { openDatabase } from "../../src/platform/db/db.ts";
import { lostSettings } from "../../src/platform/db/external/lost-settings.ts";
import { createLog } from "../../src/platform/log.ts";
import { testServer } from "../harness.ts";
import { ownDatabases } from "../own-database.ts";
import { assertOneLine, cleanUp, serve, stop, tidings } from "./spawned.ts";

const ownDatabase = ownDatabases();
const roles: string[] = [];
after(async () => {
  for (const role of roles) await asAdmin(`drop role "${role}"`);
  await cleanUp();
});

/** Statements of a superuser, in one of the databases. */
async function asAdmin(text: string, database = "postgres"): Promise<Record<string, unknown>[]> {
  const admin = new pg.Client({ ...testServer(), database });
  await admin.connect();
  try {
    return (await admin.query<Record<string, unknown>>(text)).rows;
  } finally {
    await admin.end();
  }
}

type Place = {
  role: string;
  database: string;
  env: { DATABASE_URL: string; SECRET_KEY: string };
  /** Everything that is in the database, and whose it is. */
  contents(): Promise<unknown>;
};

/** A database, and a plain role whose address it is; `prepare` says what is done to them, as statements. */
async function place(prepare: (names: { role: string; database: string }) => string[]): Promise<Place> {
  const env = await ownDatabase();
  const url = new URL(env.DATABASE_URL);
  const database = url.pathname.slice(1);
  const role = `Plain ${process.pid}_${roles.length}`;
  roles.push(role);
  url.username = encodeURIComponent(role);
  await asAdmin(`create role "${role}" login`);
  for (const statement of prepare({ role, database })) {
    // Of the database itself it is spoken from outside: while it is made anew, no connection may be open to it.
    const isOutside = /^(?:create|drop|alter) database/.test(statement);
    await asAdmin(statement, isOutside ? "postgres" : database);
  }
  return {
    role,
    database,
    env: { ...env, DATABASE_URL: url.href },
    contents: () =>
      asAdmin(
        `select n.nspname, c.relname, pg_get_userbyid(c.relowner) as owner from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1, 2`,
        database,
      ),
  };
}

const again = (database: string, options: string): string[] => [
  `drop database ${database}`,
  `create database ${database} ${options}`,
];
const migrated = (database: string): string[] => again(database, `template ${testServer().database}`);

describe("a database that a role cannot use as it is", () => {
  type Case = { command: string; prepare: Parameters<typeof place>[0]; says: RegExp };
  const cases: Record<string, Case> = {
    "that belongs to another role": {
      command: "migrate",
      prepare: () => [],
      says: /grant create on database .*; grant create on schema "public"/,
    },
    "where it may make a schema, and no table": {
      command: "migrate",
      prepare: ({ role, database }) => [`grant create on database ${database} to "${role}"`],
      says: /run there: grant create on schema "public" to "Plain [^;]*$/,
    },
    "where it may not even look into the schema": {
      command: "migrate",
      prepare: ({ role, database }) => [
        `grant create on database ${database} to "${role}"`,
        "revoke all on schema public from public",
      ],
      says: /grant usage, create on schema public/,
    },
    "that another role migrated": {
      command: "migrate",
      prepare: ({ database }) => migrated(database),
      says: /belong to "tidings".* may not change them: name "tidings" in DATABASE_URL/,
    },
    "that another role migrated, to be served": {
      command: "doctor",
      prepare: ({ database }) => migrated(database),
      says: /may not read and write migrations, /,
    },
    "that takes no writes from it": {
      command: "migrate",
      prepare: ({ role, database }) => [
        `alter database ${database} owner to "${role}"`,
        `alter role "${role}" in database ${database} set default_transaction_read_only = on`,
      ],
      says: /takes no writes, because default_transaction_read_only is on/,
    },
    "whose path of schemas leads nowhere": {
      command: "migrate",
      prepare: ({ role, database }) => [
        `alter database ${database} owner to "${role}"`,
        `alter database ${database} set search_path = nowhere`,
      ],
      says: /\(nowhere\) names no schema/,
    },
    "whose path leads past its tables": {
      command: "doctor",
      prepare: ({ role, database }) => [
        ...migrated(database),
        `alter database ${database} owner to "${role}"`,
        "grant usage on schema people to public",
        "grant select, insert, update, delete on all tables in schema public, people to public",
        `create schema "${role}" authorization "${role}"`,
        `alter role "${role}" set search_path = "$user"`,
      ],
      says: /in the schema "public" .* \("\$user"\) does not lead to/,
    },
  };
  for (const [name, { command, prepare, says }] of Object.entries(cases))
    it(`${name} is refused in one line, stays as it was, and is used once that line was followed`, async () => {
      const { database, env, contents } = await place(prepare);
      const before = await contents();
      const refused = await tidings([command], env);
      assert.deepEqual([refused.code, refused.stdout], [command === "doctor" ? 2 : 1, ""]);
      assertOneLine(refused.stderr, says);
      assert.deepEqual(await contents(), before);
      const [, remedy = ""] =
        / (?:run|Run)[^:]*: (.+?)\.(?: Nothing was changed\.)?$/m.exec(refused.stderr) ?? [];
      for (const statement of remedy.split("; ")) await asAdmin(statement, database);
      const { code, stderr } = await tidings([command], env);
      assert.deepEqual([code, stderr], [0, ""], remedy);
    });

  const hopeless: Record<string, Case> = {
    "with another encoding": {
      command: "migrate",
      prepare: ({ role, database }) =>
        again(database, `owner "${role}" encoding latin1 locale 'C' template template0`),
      says: /has the encoding LATIN1, and Tidings needs UTF8/,
    },
    "of another program": {
      command: "migrate",
      prepare: ({ role, database }) => [
        `alter database ${database} owner to "${role}"`,
        "create table migrations (id int); create table users (id int); create table things (id int)",
      ],
      says: /has tables of another program \(migrations, users\)/,
    },
    "that does not let it in": {
      command: "doctor",
      prepare: ({ database }) => [`revoke connect on database ${database} from public`],
      says: /^DATABASE_URL names .*permission denied for database .*: grant it to the role/m,
    },
    "that has no connection left for it": {
      command: "migrate",
      prepare: ({ role }) => [`alter role "${role}" connection limit 0`],
      says: /^DATABASE_URL names .*too many connections for role .*: a process opens up to 27/m,
    },
  };
  for (const [name, { command, prepare, says }] of Object.entries(hopeless))
    it(`${name} is refused in one line, and stays as it was`, async () => {
      const { env, contents } = await place(prepare);
      const before = await contents();
      const refused = await tidings([command], env);
      assert.deepEqual([refused.code, refused.stdout], [command === "doctor" ? 2 : 1, ""]);
      assertOneLine(refused.stderr, says);
      assert.deepEqual(await contents(), before);
    });

  it("is not served by a role that may only read it, and its doctor runs", async () => {
    const { env } = await place(({ role, database }) => [
      ...migrated(database),
      `grant usage on schema people to "${role}"`,
      `grant select on all tables in schema public, people to "${role}"`,
    ]);
    const refused = await tidings(["serve"], env);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assertOneLine(refused.stderr, /may not read and write account, /);
    assert.equal((await tidings(["doctor"], env)).code, 0);
  });

  it("is not there, or its role is not", async () => {
    const { env } = await place(() => []);
    const elsewhere = (part: "username" | "pathname") =>
      Object.assign(new URL(env.DATABASE_URL), { [part]: "hunter" }).href;
    for (const [url, says] of [
      [elsewhere("pathname"), /database "hunter" does not exist: make it/],
      [elsewhere("username"), /role "hunter" does not exist: make the role/],
    ] as const) {
      const { code, stderr } = await tidings(["migrate"], { ...env, DATABASE_URL: url });
      assert.equal(code, 1);
      assertOneLine(stderr, says);
    }
  });
});

describe("settings of connections", () => {
  it("stay beside those of the address, and are missed where it has others of the same name", async () => {
    const { DATABASE_URL } = await ownDatabase();
    const read = async (query: string): Promise<[string | null, unknown]> => {
      const database = openDatabase({ connectionString: `${DATABASE_URL}?${query}` }, createLog("silent"));
      try {
        const { rows } = await database.pool.query("select current_setting('geqo') as geqo");
        return [await lostSettings(database), rows[0]];
      } finally {
        await database.close();
      }
    };
    const options = encodeURIComponent("-c geqo=off -c statement_timeout=1ms");
    assert.deepEqual(await read(`options=${options}`), [null, { geqo: "off" }]);
    const [lost] = await read("lock_timeout=7000");
    assert.match(lost ?? "", /^connections lack settings that they asked for \(lock_timeout\)/);
  });

  it("that are missing are named once at the start, which goes on", async () => {
    const env = await ownDatabase();
    const url = `${env.DATABASE_URL}?lock_timeout=7000`;
    const server = await serve({ ...env, DATABASE_URL: url, AUTO_MIGRATE: "1", LOG_LEVEL: "warn" });
    const { code, stderr } = await stop(server);
    assert.deepEqual([code, stderr.match(/\(lock_timeout\)/g)?.length], [0, 1], stderr);
  });
});
