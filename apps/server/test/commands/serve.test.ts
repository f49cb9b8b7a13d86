import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, TidingsError } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { readBuild } from "../../src/platform/build.ts";
import { isAlive } from "../../src/platform/db/embedded/postmaster.ts";
import { refusal } from "../harness.ts";
import {
  ask,
  assertOneLine,
  cleanUp,
  keysOf,
  killWhen,
  migratedDataDir,
  newDataDir,
  postmasterOf,
  printedMailCatcher,
  refused,
  type Spawned,
  serve,
  serveByNpm,
  stop,
  tidings,
  until,
  work,
} from "./spawned.ts";

after(cleanUp);

const json = <T>(text: string): T => JSON.parse(text) as T;

const eventCount = async (dataDir: string, name: string): Promise<number> => {
  const text = "select count(*) from events where name = $1";
  const [row] = await ask<{ count: string }>(dataDir, text, [name]);
  return Number(row?.count);
};

describe("the server and its folder", () => {
  let env: { DATA_DIR: string };
  let dataDir: string;
  let server: Spawned;
  let keys: ProjectKeys;
  before(async () => {
    dataDir = await newDataDir();
    env = { DATA_DIR: dataDir };
    server = await serve(env);
    keys = keysOf(server);
  });

  it("prints keys that work at its first start", async () => {
    await createClient(server.url, keys.publishableKey).track({ body: { userId: "ada", event: "first" } });
    await createClient(server.url, keys.secretKey).createGoal({ body: { name: "Upgrades" } });
    const { goals } = await createClient(server.url, keys.agentKey).listGoals();
    assert.deepEqual(
      goals.map(({ name }) => name),
      ["Upgrades"],
    );
    const { status } = await refusal(
      createClient(server.url, keys.agentKey).createGoal({ body: { name: "No" } }),
    );
    assert.equal(status, 403);
  });

  it("keeps secret keys out of what it prints where that is no screen: they are in a file for its owner", async () => {
    for (const key of [keys.secretKey, keys.agentKey]) assert.ok(!server.welcome.includes(key));
    assert.ok(server.welcome.includes(keys.publishableKey) && server.welcome.includes(keys.projectId));
    assert.equal(statSync(join(dataDir, `keys-${keys.projectId}.txt`)).mode & 0o777, 0o600);
  });

  it("prints an address that opens the outbox, which is closed without it", async () => {
    const { status, url } = await printedMailCatcher(server);
    assert.deepEqual([status, url], [200, `${server.url}/demo/outbox`]);
    assert.equal((await fetch(url)).status, 401);
  });

  it("answers its pages", async () => {
    const page = async (path: string) => {
      const response = await fetch(server.url + path);
      assert.equal(response.status, 200, path);
      assert.ok(response.headers.get("x-request-id") && response.headers.get("x-api-version"), path);
      return response;
    };
    assert.deepEqual(await (await page("/healthz")).json(), {
      ok: true,
      version: (await readBuild()).version,
    });
    assert.deepEqual(await (await page("/readyz")).json(), { ok: true });
    assert.match(
      await (await page("/metrics")).text(),
      /tidings_http_requests_total\{operation="track",status="200"\} 1/,
    );
    assert.equal(json<{ openapi: string }>(await (await page("/openapi.json")).text()).openapi, "3.1.0");
    const front = await (await page("/")).text();
    const places = [...front.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? "");
    assert.ok(
      ["/demo", "/demo/outbox", "/docs"].every((path) => places.includes(path)),
      front,
    );
    // The demo makes a project of its own when it is opened first.
    for (const path of places.filter((each) => !each.startsWith("/demo"))) await page(path);
    const docs = await (await page("/docs")).text();
    for (const [, asset] of docs.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.match(asset ?? "", /^\/(docs\/|favicon\.)/, "it comes from this server");
      assert.ok((await (await page(asset ?? "")).text()).length > 0);
    }
  });

  it("is the only one on its folder", async () => {
    await refused(
      tidings(["serve"], env),
      new RegExp(`^Another Tidings server is running on DATA_DIR .*${dataDir}.*\\.$`, "m"),
    );
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  });

  it("has commands beside it: a project, its keys, the doctor", async () => {
    const created = await tidings(["project", "create", "--name", "Second", "--json"], env);
    const made = json<ProjectKeys>(created.stdout);
    assert.deepEqual(Object.keys(made).sort(), ["agentKey", "projectId", "publishableKey", "secretKey"]);
    assert.deepEqual((await createClient(server.url, made.secretKey).listGoals()).goals, []);

    const listed = await tidings(["project", "list", "--json"], env);
    const projects = json<{ id: string; name: string }[]>(listed.stdout).map(({ id, name }) => [id, name]);
    assert.deepEqual(projects, [
      [keys.projectId, "My project"],
      [made.projectId, "Second"],
    ]);
    assert.ok((await tidings(["project", "list"], env)).stdout.includes(made.publishableKey));
    for (const secret of [made.secretKey, made.agentKey]) assert.ok(!listed.stdout.includes(secret));

    const doctor = await tidings(["doctor", "--json"], env);
    assert.equal(doctor.code, 0, doctor.stderr);
    assert.equal(json<{ differences: number }>(doctor.stdout).differences, 0);
  });

  it("lets go of a rotated key within five seconds", async () => {
    const created = await tidings(["project", "create", "--name", "Rotating", "--json"], env);
    const { projectId, secretKey } = json<ProjectKeys>(created.stdout);
    const old = createClient(server.url, secretKey);
    await old.listGoals();
    const rotate = (...more: string[]) =>
      tidings(["key", "rotate", "--project", projectId, "--kind", "secret", "--json", ...more], env);
    const { stdout } = await rotate();
    const rotatedAt = Date.now();
    const fresh = json<{ key: string }>(stdout).key;
    await createClient(server.url, fresh).listGoals();
    const isRefused = async () =>
      old.listGoals().then(
        () => false,
        (error: unknown) => error instanceof TidingsError && error.status === 401,
      );
    await until(isRefused, "the old key is refused", 6_000 - (Date.now() - rotatedAt));

    // A key that no request has shown yet is in no memory: what the database says of it counts.
    const newest = json<{ key: string }>((await rotate("--grace", "10")).stdout).key;
    const newer = json<{ key: string }>((await rotate("--grace", "10")).stdout).key;
    for (const key of [newest, newer]) await createClient(server.url, key).listGoals();

    const unknown = await tidings(
      ["key", "rotate", "--project", "019b0000-0000-7000-8000-000000000000", "--kind", "secret"],
      env,
    );
    assert.equal(unknown.code, 1);
    assertOneLine(unknown.stderr, /^There is no project 019b0000/);
  });

  it("makes a send key, which no project has by itself, and which manages nothing", async () => {
    const { projectId, secretKey } = keys;
    const create = (...more: string[]) => tidings(["key", "create", "--project", projectId, ...more], env);
    const made = await create("--kind", "send", "--json");
    const { key, ...rest } = json<{ key: string }>(made.stdout);
    assert.deepEqual(rest, { projectId, kind: "send" });
    const further = (await create("--kind", "send")).stdout.trim();
    for (const each of [key, further]) {
      assert.match(each, /^pk_send_[0-9A-Za-z]{32}$/);
      await assert.rejects(
        createClient(server.url, each).listGoals(),
        (error) => error instanceof TidingsError && error.status === 403,
      );
    }
    await createClient(server.url, secretKey).listGoals();
    const { code, stderr } = await create("--kind", "receipts");
    assert.equal(code, 1);
    assertOneLine(stderr, /publishable, secret, agent, send/);
  });

  it("comes back by itself when its PostgreSQL is killed", async () => {
    const client = createClient(server.url, keys.publishableKey);
    const api = createClient(server.url, keys.secretKey);
    const pid = postmasterOf(dataDir);
    assert.ok(pid !== null);
    const refusals = new Set<string>();
    let asking = true;
    const ask = async (call: () => Promise<unknown>) => {
      while (asking) {
        await call().catch((error: unknown) => {
          assert.ok(error instanceof TidingsError, String(error));
          refusals.add(`${error.status} ${JSON.stringify(error.body)}`);
        });
      }
    };
    const askers = [
      ask(() => client.track({ body: { userId: "ada", event: "meanwhile" } })),
      ask(() => client.getMessages({ query: { userId: "ada" } })),
      ask(() => api.listGoals()),
      ask(() => api.createGoal({ body: { name: "Meanwhile" } })),
    ];
    const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
    try {
      process.kill(pid, "SIGKILL");
      await until(async () => (await readiness()) === 503, "it is not ready");
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      await until(async () => (await readiness()) === 200, "it is ready again", 30_000);
      await until(
        async () =>
          api.listGoals().then(
            () => true,
            () => false,
          ),
        "it answers again",
      );
    } finally {
      asking = false;
      await Promise.all(askers);
    }
    assert.equal(server.child.exitCode, null);
    const expected = [
      `503 ${JSON.stringify({ error: "The service is not available right now; try again." })}`,
      `500 ${JSON.stringify({ error: "Could not identify user" })}`,
    ];
    assert.deepEqual(
      [...refusals].filter((each) => !expected.includes(each)),
      [],
    );
  });

  it("stops on SIGTERM under load: exit 0, no PostgreSQL left, every acknowledged event kept", async () => {
    const client = createClient(server.url, keys.publishableKey);
    let acknowledged = 0;
    let isStopping = false;
    const load = Array.from({ length: 8 }, async (_, user) => {
      while (!isStopping || server.child.exitCode === null) {
        try {
          await client.track({ body: { userId: `user ${user}`, event: "load" } });
          acknowledged++;
        } catch (error) {
          assert.ok(isStopping, String(error));
          assert.ok(!(error instanceof TidingsError) || error.status === 503, String(error));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    });
    await until(() => acknowledged > 200, "some events are there");
    const pid = postmasterOf(dataDir);
    isStopping = true;
    const from = Date.now();
    const { code } = await stop(server);
    assert.ok(Date.now() - from < 10_000);
    await Promise.all(load);
    assert.equal(code, 0);
    assert.ok(pid !== null && !isAlive(pid));
    assert.equal(postmasterOf(dataDir), null);

    server = await serve(env);
    assert.match(server.welcome, /Secret key +shown when it was made/);
    assert.doesNotMatch(server.welcome, /pk_(?!pub_)/);
    const kept = await eventCount(dataDir, "load");
    assert.ok(kept >= acknowledged, `${kept} of ${acknowledged}`);
  });

  it("stops with the npm that started it, whichever script that was", async () => {
    const folder = await migratedDataDir();
    for (const script of ["start", "tidings"] as const) {
      const started = await serveByNpm({ DATA_DIR: folder }, script);
      assert.ok(postmasterOf(folder));
      started.child.kill("SIGTERM");
      await until(() => postmasterOf(folder) === null, `the server of npm run ${script} stopped`);
      await started.ended;
      await assert.rejects(fetch(`${started.url}/healthz`), script);
    }
  });

  it("starts again after SIGKILL, with everything that was acknowledged", async () => {
    for (const round of ["one", "two"]) {
      const client = createClient(server.url, keys.publishableKey);
      await Promise.all(
        Array.from({ length: 50 }, (_, user) =>
          client.track({ body: { userId: `user ${user}`, event: round } }),
        ),
      );
      const left = postmasterOf(dataDir);
      server.child.kill("SIGKILL");
      await server.ended;
      server = await serve(env);
      assert.ok(left !== null && left !== postmasterOf(dataDir) && !isAlive(left));
      assert.equal(await eventCount(dataDir, round), 50);
    }
    await createClient(server.url, keys.secretKey).listGoals();
  });

  it("has commands without it too, which leave nothing running", async () => {
    assert.equal((await stop(server)).code, 0);
    const doctor = await tidings(["doctor", "--json"], env);
    assert.equal(doctor.code, 0, doctor.stderr);
    assert.equal(json<{ differences: number }>(doctor.stdout).differences, 0);
    assert.equal(json<unknown[]>((await tidings(["project", "list", "--json"], env)).stdout).length, 3);
    assert.equal((await tidings(["migrate"], env)).stdout.trim(), "The database is up to date.");
    assert.equal(postmasterOf(dataDir), null);
  });
});

describe("the first start", () => {
  it("that is killed while it makes the database is begun again", async () => {
    const env = { DATA_DIR: await newDataDir() };
    const unfinished = () => readdirSync(env.DATA_DIR).filter((name) => name.startsWith("postgres.new"));
    await killWhen(["serve"], env, () =>
      unfinished().some((name) => existsSync(join(env.DATA_DIR, name, "PG_VERSION"))),
    );
    assert.equal(postmasterOf(env.DATA_DIR), null);
    const server = await serve(env);
    await createClient(server.url, keysOf(server).secretKey).listGoals();
    assert.deepEqual(unfinished(), []);
    assert.equal((await stop(server)).code, 0);
  });
  it("makes no project where it cannot show the keys: not on a taken port, and not without the api role", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const env = { DATA_DIR: await newDataDir() };
    await refused(
      tidings(["serve"], { ...env, PORT: String(port) }),
      new RegExp(
        `^PORT ${port} on HOST 127\\.0\\.0\\.1 cannot be listened on: EADDRINUSE, another program uses it\\..*PORT=${port + 1} npm start$`,
        "m",
      ),
    );
    taken.close();
    assert.equal(existsSync(join(env.DATA_DIR, "postgres")), false);
    const worker = await work(env);
    assert.deepEqual(await ask(env.DATA_DIR, "select id from projects"), []);
    await stop(worker);
    const server = await serve(env);
    await createClient(server.url, keysOf(server).secretKey).listGoals();
    assert.equal((await stop(server)).code, 0);
  });
  it("may be waited for by commands", async () => {
    const env = { DATA_DIR: await newDataDir() };
    const starting = serve(env);
    await until(() => postmasterOf(env.DATA_DIR) !== null, "PostgreSQL is starting");
    const listed = await tidings(["project", "list", "--json"], env);
    assert.equal(listed.code, 0, listed.stderr);
    assert.ok(json<unknown[]>(listed.stdout).length <= 1);
    assert.equal((await stop(await starting)).code, 0);
  });
});
