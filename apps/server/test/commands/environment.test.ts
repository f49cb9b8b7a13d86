import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { ownDatabases } from "../own-database.ts";
import {
  assertOneLine,
  cleanUp,
  done,
  keysOf,
  newDataDir,
  postmasterOf,
  refused,
  serve,
  stop,
  tidings,
  tidingsAlone,
  tidingsIn,
} from "./spawned.ts";

after(cleanUp);

const SECRET_KEY = randomBytes(32).toString("base64");

describe("a database of the operator's own", () => {
  const emptyDatabase = ownDatabases();

  it("is served once it was migrated, and not before", async () => {
    const env = await emptyDatabase();
    const refused = await tidings(["serve"], env);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assertOneLine(
      refused.stderr,
      /^The database lacks 0001_.*: run "npm run tidings migrate", or set AUTO_MIGRATE=1\.$/m,
    );
    const migrated = await tidings(["migrate"], env);
    assert.equal(migrated.code, 0, migrated.stderr);
    assert.match(migrated.stdout, /^applied 0001_/);
    assert.equal((await tidings(["migrate"], env)).stdout.trim(), "The database is up to date.");
    const server = await serve(env);
    await createClient(server.url, keysOf(server).secretKey).createGoal({ body: { name: "Upgrades" } });
    assert.equal((await stop(server)).code, 0);
  });

  it("is not served where it was made by other migrations than these", async () => {
    const env = await emptyDatabase();
    assert.equal((await tidings(["migrate"], env)).code, 0);
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    await client.query("update migrations set digest = 'another' where name like '0002%'");
    await client.end();
    const { code, stderr } = await tidings(["serve"], env);
    assert.equal(code, 1);
    assertOneLine(stderr, /^Migration 0002_\S+ was changed after it was applied\.$/m);
  });

  it("is migrated at the start with AUTO_MIGRATE=1, also by two servers at once, with one first project", async () => {
    const env = { ...(await emptyDatabase()), AUTO_MIGRATE: "1" };
    const servers = await Promise.all([serve(env), serve(env)]);
    assert.equal(servers.filter(({ welcome }) => welcome.includes("All keys")).length, 1);
    const first = servers.find(({ welcome }) => welcome.includes("All keys"));
    assert.ok(first);
    for (const { url } of servers) await createClient(url, keysOf(first).secretKey).listGoals();
    for (const server of servers) assert.equal((await stop(server)).code, 0);
  });

  it("needs no SECRET_KEY where nothing is sealed, to be migrated and recounted", async () => {
    const { DATABASE_URL } = await emptyDatabase();
    for (const command of ["migrate", "doctor"]) {
      const { code, stderr } = await tidings([command], { DATABASE_URL });
      assert.equal(code, 0, stderr);
    }
    const made = await tidings(["project", "create", "--name", "Shop", "--json"], { DATABASE_URL });
    const { projectId } = JSON.parse(made.stdout) as ProjectKeys;
    const set = (pair: string) =>
      tidings(["settings", "set", "--project", projectId, pair], { DATABASE_URL });
    assert.equal((await set("email.capMax=5")).code, 0);
    const refused = await set("email.webhookSecret=hunter2");
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assertOneLine(refused.stderr, /^SECRET_KEY is required with DATABASE_URL/m);
  });

  it("that was not migrated is refused by every other command in one line", async () => {
    const env = await emptyDatabase();
    for (const args of [["project", "list"], ["settings", "get"], ["export"]])
      await refused(tidings(args, env), /^The database lacks 0001_.*: run "npm run tidings migrate"/m);
  });

  it("says when the secret key is another one, at the start and in the doctor, until it is accepted", async () => {
    const env = { ...(await emptyDatabase()), AUTO_MIGRATE: "1" };
    assert.equal((await stop(await serve(env))).code, 0);
    const other = { ...env, SECRET_KEY: randomBytes(32).toString("base64") };
    const { code, stderr } = await stop(await serve(other));
    assert.equal(code, 0);
    assert.match(stderr, /^The secret key is not the one that this database was used with: /m);
    const doctor = async (given: Readonly<Record<string, string>>) => {
      const { code: verdict, stdout } = await tidings(["doctor", "--json"], given);
      const { differences } = JSON.parse(stdout) as { differences: number };
      return [verdict, differences];
    };
    assert.deepEqual(await doctor(other), [1, 1]);
    assert.deepEqual(await doctor(env), [0, 0]);
    assert.match(
      await done(tidings(["secret-key", "accept"], other)),
      /^The present secret key is the right one/,
    );
    assert.deepEqual(await doctor(other), [0, 0]);
    assert.deepEqual(await doctor(env), [1, 1]);
  });

  it("is refused in one line where a migration was changed since", async () => {
    const env = await emptyDatabase();
    await tidings(["migrate"], env);
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    await client.query("update migrations set digest = 'x'");
    await client.end();
    const refused = await tidings(["migrate"], env);
    assert.equal(refused.code, 1);
    assertOneLine(refused.stderr, /^Migration 0001_.* was changed after it was applied\.$/m);
  });
});

describe("a setting that is not usable", () => {
  const secret = "postgres://ada:hunter2@127.0.0.1:1/x";
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: "abc" }, /^PORT \("abc"\) is not usable: must be a port, a whole number from 0 to 65535$/m],
    [{ PORT: "70000" }, /^PORT \("70000"\) is not usable/],
    [{ PORT: "-1" }, /^PORT \("-1"\) is not usable/],
    [{ RATE_LIMITS: "fast" }, /^RATE_LIMITS \("fast"\) is not usable: must be "off" or JSON/],
    [{ RATE_LIMITS: '{"goals":0}' }, /^RATE_LIMITS .* is not usable/],
    [{ RATE_LIMITS: '{"campaing":10}' }, /^RATE_LIMITS .* is not usable: .*campaigns/],
    [{ RATE_LIMITS: "[1]" }, /^RATE_LIMITS .* is not usable/],
    [{ LIMITS: "none" }, /^LIMITS \("none"\) is not usable: must be JSON/],
    [{ LIMITS: '{"userTraitKeys":0}' }, /^LIMITS .* is not usable/],
    [{ LIMITS: '{"userTraits":10}' }, /^LIMITS .* is not usable: .*userTraitKeys/],
    [{ MODE: "cloud" }, /^MODE \("cloud"\) is not usable/],
    [{ ROLES: "api,nobody" }, /^ROLES \("api,nobody"\) is not usable/],
    [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL \("loud"\) is not usable/],
    [{ PUBLIC_URL: "ftp://here" }, /^PUBLIC_URL \("ftp:\/\/here"\) is not usable/],
    [{ AUTO_MIGRATE: "yes" }, /^AUTO_MIGRATE \("yes"\) is not usable/],
    [
      { DATABASE_URL: "mysql://ada:hunter2@here/x" },
      /^DATABASE_URL is not usable: must be a postgres:\/\/ address/,
    ],
    [{ DATABASE_URL: "hunter2" }, /^DATABASE_URL is not usable/],
    // Not escaped: a piece of the password would be read as the host, the database or an option.
    ...["pa#hunter2", "pa/hunter2", "pa@hunter2/ss", "12?hunter2", "pa%00hunter2"].map(
      (password): [Record<string, string>, RegExp] => [
        { DATABASE_URL: `postgres://ada:${password}@127.0.0.1:1/x`, SECRET_KEY },
        /^DATABASE_URL is not usable: must be a postgres:\/\/ address: user:password@ \(percent-encoded/,
      ],
    ),
    [
      { DATABASE_URL: "postgres://ada:hunter2@one.invalid,two.invalid/x", SECRET_KEY },
      /^DATABASE_URL is not usable: names several hosts/,
    ],
    [
      { DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/x?sslrootcert=/nowhere.pem", SECRET_KEY },
      /^DATABASE_URL is not usable: names a file of a certificate .* cannot be read: ENOENT$/m,
    ],
    [
      { DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/x?sslmode=require", SECRET_KEY },
      /^DATABASE_URL names a database that cannot be used: .*ECONNREFUSED/,
    ],
    [
      { HOST: "192.0.2.1" },
      /^PORT 0 on HOST 192\.0\.2\.1 cannot be listened on: EADDRNOTAVAIL, no network of this machine/,
    ],
    [
      { DATABASE_URL: secret, SECRET_KEY },
      /^DATABASE_URL names a database that cannot be used: .*ECONNREFUSED/,
    ],
    [{ DATABASE_URL: "postgres://ada:hunter2@%2Fnowhere/x", SECRET_KEY }, /^DATABASE_URL names .*ENOENT/],
    [{ DATABASE_URL: secret }, /^SECRET_KEY is required with DATABASE_URL: 32 bytes as base64/],
    [{ SECRET_KEY: "hunter2" }, /^SECRET_KEY is not usable: must be 32 bytes as base64/],
    [{ SECRET_KEY: `hunter2+${"A".repeat(36)}` }, /^SECRET_KEY is not usable: must be 32 bytes as base64/],
    [{ SMTP_URL: "http://ada:hunter2@mail.example.com" }, /^SMTP_URL is not usable: must be smtp:\/\//],
    [{ SMTP_URL: "smtp://ada:hunter2@mail.example.com?connections=0" }, /^SMTP_URL is not usable: must be/],
  ];
  for (const [env, pattern] of cases) {
    it(`${JSON.stringify(env)} stops the start with one line`, async () => {
      const dataDir = await newDataDir();
      await refused(tidings(["serve"], { DATA_DIR: dataDir, ...env }), pattern);
      assert.equal(postmasterOf(dataDir), null);
    });
  }

  it("a dozen starts in one process leave no listener behind", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const env = { DATA_DIR: await newDataDir(), HOST: "127.0.0.1", PORT: String(port) };
    // Node warns on standard error of the eleventh listener of a signal.
    for (let starts = 0; starts < 12; starts++) await refused(tidings(["serve"], env), /EADDRINUSE/);
    taken.close();
  });

  it("a file .env says the rest of the settings, also behind the mark of UTF-8, and is refused in UTF-16", async () => {
    const folder = await newDataDir();
    const given = { DATA_DIR: folder, LIMITS: "{}" };
    const text = "\ufeffROLES=none\nLIMITS=none\n";
    await writeFile(join(folder, ".env"), text);
    await refused(tidingsIn(folder, ["serve"], given), /^ROLES \("none"\) is not usable/);
    await writeFile(join(folder, ".env"), text, "utf16le");
    await refused(tidingsIn(folder, ["serve"], given), /^\.env must be UTF-8: this is UTF-16 or UTF-32/);
  });
  it("a port that is taken stops the start with one line, and leaves no PostgreSQL", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const dataDir = await newDataDir();
    const { code, stderr } = await tidingsAlone(["serve"], { DATA_DIR: dataDir, PORT: port });
    taken.close();
    assert.equal(code, 1);
    assertOneLine(stderr, new RegExp(`PORT ${port}.*EADDRINUSE`));
    assert.equal(postmasterOf(dataDir), null);
  });
  it("an unknown command or option is refused", async () => {
    for (const args of [
      ["nonsense"],
      ["serve", "--nonsense"],
      ["project", "create"],
      ["project", "delete"],
      ["key", "rotate"],
      ["key", "create"],
    ]) {
      const { code, stderr } = await tidings(args, {});
      assert.equal(code, 1, args.join(" "));
      assertOneLine(stderr, /^error: /);
    }
    for (const args of [["--help"], ["serve", "--help"], ["key", "rotate", "--help"]]) {
      const { code, stdout } = await tidings(args, {});
      assert.equal(code, 0);
      assert.match(stdout, /^Usage: tidings/);
    }
  });
});
