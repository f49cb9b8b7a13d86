import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { ListedProject, ProjectKeys } from "../../src/features/access/public.ts";
import { refusal } from "../harness.ts";
import { inOrder, live } from "./backup.ts";
import {
  ask,
  cleanUp,
  done,
  keysOf,
  migratedDataDir,
  newDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

after(cleanUp);

const json = <T>(text: string): T => JSON.parse(text) as T;

describe("tidings project", () => {
  let env: { DATA_DIR: string };
  let server: Spawned;
  let keys: ProjectKeys;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
    keys = keysOf(server);
  });
  after(() => stop(server));

  const run = (...args: string[]) => tidings(args, env);
  const create = async (name: string): Promise<ProjectKeys> =>
    json(await done(run("project", "create", "--name", name, "--json")));

  it("is the only one there is where nobody says which, whatever the demo has made", async () => {
    assert.equal((await fetch(`${server.url}/demo`)).status, 200);
    const listed = json<ListedProject[]>(await done(run("project", "list", "--json")));
    assert.deepEqual(listed.map(({ isDemo }) => isDemo).sort(), [false, true]);
    const shown = json<ListedProject>(await done(run("project", "show", "--json")));
    assert.equal(shown.id, keys.projectId);
    await done(run("settings", "set", "email.capMax=5"));
    const { projectId } = json<{ projectId: string }>(await done(run("identity", "secret", "--json")));
    assert.equal(projectId, keys.projectId);
  });

  it("is found by its name, by its id and by TIDINGS_PROJECT; where that says too little, it is asked for", async () => {
    const shop = await create("Shop");
    const names = async (given: readonly string[], more = {}) =>
      json<ListedProject>(await done(tidings(["project", "show", "--json", ...given], { ...env, ...more })))
        .id;
    assert.equal(await names(["--project", "Shop"]), shop.projectId);
    assert.equal(await names(["--project", shop.projectId]), shop.projectId);
    assert.equal(await names([], { TIDINGS_PROJECT: "Shop" }), shop.projectId);
    await refused(
      run("project", "show"),
      /^There are several projects: say which with --project, My project \(/m,
    );
    await refused(run("project", "show", "--project", "shop"), /^There is no project shop: /m);
    const twin = await create("Shop");
    await refused(
      run("settings", "get", "--project", "Shop"),
      /^2 projects are called Shop: give the id of one, /m,
    );
    await done(run("project", "delete", "--project", twin.projectId, "--confirm", "Shop"));
  });

  it("is shown with what is stored for it, and renamed", async () => {
    const { projectId, publishableKey } = await create("Old name");
    await createClient(server.url, publishableKey).track({ body: { userId: "ada", event: "seen" } });
    const { holdings } = json<{ holdings: object }>(
      await done(run("project", "show", "--project", projectId, "--json")),
    );
    assert.deepEqual(holdings, {
      users: 1,
      events: 1,
      campaigns: 0,
      segments: 0,
      deliveries: 0,
      installations: 0,
      images: 0,
      imageBytes: 0,
    });
    const renamed = await done(run("project", "rename", "--project", "Old name", "--name", "New name"));
    assert.equal(renamed.trim(), "Old name is called New name now.");
    assert.match(await done(run("project", "show", "--project", "New name")), /^name +New name$/m);
    await refused(
      run("project", "rename", "--project", "New name", "--name", " "),
      /^--name must not be blank/m,
    );
  });

  it("is deleted with all that is stored for it, and nothing of its neighbours", async () => {
    const doomed = await create("Doomed");
    await live(env, server, doomed);
    const neighbour = await create("Neighbour");
    await live(env, server, neighbour);
    await refused(
      run("project", "delete", "--project", "Doomed"),
      /^Nothing is deleted: repeat the name of the project to confirm it, --confirm "Doomed"\.$/m,
    );
    await refused(
      run("project", "delete", "--project", "Doomed", "--confirm", "doomed"),
      /^Nothing is deleted/m,
    );
    // Rollups are added to behind our back: what they are of is compared.
    const facts = [
      "users",
      "events",
      "event_counts",
      "goals",
      "campaigns",
      "variants",
      "deliveries",
      "settings",
      "api_keys",
    ];
    const factsOf = async (projectId: string) => {
      const rows = await rowsOf(projectId);
      return facts.map((table) => [table, rows[table] ?? 0]);
    };
    const before = await factsOf(neighbour.projectId);
    assert.ok(Object.keys(await rowsOf(doomed.projectId)).length > 10);
    const printed = await done(run("project", "delete", "--project", "Doomed", "--confirm", "Doomed"));
    assert.match(printed, /^Doomed \(.*\) is deleted\.$/m);
    assert.deepEqual(await rowsOf(doomed.projectId), {});
    assert.deepEqual(await factsOf(neighbour.projectId), before);
    const { status } = await refusal(createClient(server.url, doomed.secretKey).listGoals());
    assert.equal(status, 401);
    await createClient(server.url, neighbour.secretKey).listGoals();
    await inOrder(env);
  });

  /** How many rows each table has of a project, of those that have some. */
  async function rowsOf(projectId: string): Promise<Record<string, number>> {
    const tables = await ask<{ name: string }>(
      env.DATA_DIR,
      "select table_name as name from information_schema.columns where column_name = 'project_id' and table_schema = 'public' order by 1",
    );
    const counted: Record<string, number> = {};
    for (const { name } of tables) {
      // Keys and answers that come and go by themselves say nothing of what was stored.
      if (["idempotency_keys", "shared_budgets", "rollup_deltas"].includes(name)) continue;
      const [row] = await ask<{ n: string }>(
        env.DATA_DIR,
        `select count(*) as n from "${name}" where project_id = $1`,
        [projectId],
      );
      if (Number(row?.n) > 0) counted[name] = Number(row?.n);
    }
    return counted;
  }
});

describe("a command in a folder without data", () => {
  it("makes none in passing, and says where to look", async () => {
    const parent = await newDataDir();
    const env = { DATA_DIR: join(parent, "data") };
    for (const args of [
      ["project", "list"],
      ["settings", "get"],
      ["doctor"],
      ["key", "rotate", "--kind", "secret"],
      ["export"],
    ]) {
      const { code, stdout, stderr } = await tidings(args, env);
      assert.deepEqual([code, stdout], [args[0] === "doctor" ? 2 : 1, ""], args.join(" "));
      assert.match(stderr, /^There is no data in .*\/data: set DATA_DIR \(or DATABASE_URL\).*\.\n$/);
    }
    assert.ok(!existsSync(env.DATA_DIR));
  });

  it("names a folder that cannot be made, in one line", async () => {
    await refused(tidings(["serve"], { DATA_DIR: "/proc/tidings" }), /^(DATA_DIR )?\/proc\/tidings/m);
    await refused(tidings(["serve"], { DATA_DIR: "/dev/null/data" }), /^(DATA_DIR )?\/dev\/null/m);
  });

  it("names a file for the log that cannot be written, in one line", async () => {
    await refused(
      tidings(["project", "list"], { DATA_DIR: await newDataDir(), LOG_FILE: "/nonexistent/log" }),
      /^LOG_FILE \/nonexistent\/log cannot be written: ENOENT$/m,
    );
  });
});

it("tidings --version says which one it is", async () => {
  assert.match(await done(tidings(["--version"], {})), /^\d+\.\d+\.\d+\n$/);
});
