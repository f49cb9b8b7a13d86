import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient, TidingsError } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import type { ShownChange } from "../../src/features/settings/public.ts";
import { hashOf } from "../perimeter.ts";
import {
  assertOneLine,
  cleanUp,
  done,
  type Ended,
  keysOf,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
  until,
} from "./spawned.ts";

after(cleanUp);

const WITHIN_MS = 30_000;

describe("tidings identity secret", () => {
  let env: Record<string, string>;
  let server: Spawned;
  let keys: ProjectKeys;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve({ ...env, LOG_LEVEL: "trace" });
    keys = keysOf(server);
  });

  const run = (args: readonly string[], project = keys.projectId): Promise<Ended> =>
    tidings([...args, "--project", project], env);

  const secret = async (...args: string[]): Promise<string> =>
    (await done(run(["identity", "secret", ...args]))).trimEnd();

  const identify = (userId: string, userHash?: string): Promise<unknown> =>
    createClient(server.url, keys.publishableKey).identify({
      body: { userId, ...(userHash === undefined ? {} : { userHash }) },
    });

  const isRefused = (userId: string, userHash?: string): Promise<boolean> =>
    identify(userId, userHash).then(
      () => false,
      (error: unknown) => error instanceof TidingsError && error.status === 401,
    );

  it("comes before identity.required, which is refused in one line without it", async () => {
    await refused(
      run(["settings", "set", "identity.required=true"]),
      /^identity\.required needs an identity secret first: make it \(Settings in the dashboard, or "tidings identity secret"\)/,
    );
  });

  it("is made on first use, and stays", async () => {
    const made = JSON.parse(await secret("--json")) as { secret: string };
    assert.match(made.secret, /^[0-9a-f]{64}$/);
    assert.deepEqual(made, { projectId: keys.projectId, secret: made.secret, isNew: true });
    assert.equal(await secret(), made.secret);
    assert.deepEqual(JSON.parse(await secret("--json")), { ...made, isNew: false });
  });

  it("proves users to a running server, and goes on for its grace when it is replaced", async () => {
    const first = await secret();
    await identify("ada");
    await done(run(["settings", "set", "identity.required=true"]));
    await until(() => isRefused("ada"), "users have to be proven", WITHIN_MS);
    await identify("ada", hashOf(first, "ada"));

    const second = await secret("--rotate", "--by", "Ada");
    assert.notEqual(second, first);
    await until(async () => !(await isRefused("ada", hashOf(second, "ada"))), "the new one", WITHIN_MS);
    await identify("ada", hashOf(first, "ada"));

    const third = await secret("--rotate", "--grace", "0");
    await until(() => isRefused("ada", hashOf(second, "ada")), "the second has ended", WITHIN_MS);
    await identify("ada", hashOf(third, "ada"));
    assert.ok(await isRefused("ada", hashOf(first, "ada")));

    const log = JSON.parse(await done(run(["settings", "log", "--json"]))) as ShownChange[];
    const made = log.filter(({ key }) => key === "identity.secret");
    assert.deepEqual(
      made.map(({ before, after }) => [before, after]),
      [
        ["set", "set"],
        ["set", "set"],
        [null, "set"],
      ],
    );
    assert.equal(made[1]?.by, "Ada");
    for (const each of [first, second, third]) assert.ok(!JSON.stringify(log).includes(each));
    const { code, stdout } = await tidings(["doctor"], env);
    assert.equal(code, 0, stdout);
  });

  it("refuses what it cannot do in one line", async () => {
    const stranger = "019b0000-0000-7000-8000-000000000000";
    await refused(run(["identity", "secret"], stranger), /^There is no project 019b0000-.*\.$/m);
    for (const args of [["--grace", "x"], ["--grace", "-1"], ["--by", ""], ["--nonsense"]])
      await refused(run(["identity", "secret", "--rotate", ...args]), /^(error: |--grace must be )/);
  });

  it("says what to do when the secret key of the server was lost", async () => {
    const lost = { ...env, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    const shown = await tidings(["identity", "secret", "--project", keys.projectId], lost);
    assert.deepEqual([shown.code, shown.stdout], [1, ""]);
    assertOneLine(
      shown.stderr,
      /^The identity secret cannot be opened: .*"tidings identity secret --rotate" makes another$/m,
    );
  });

  it("is in no line of the server's log, nor is a hash, wherever it came", async () => {
    const userHash = hashOf(await secret(), "ada");
    const sdk = createClient(server.url, keys.publishableKey);
    for (const hash of [userHash, "0".repeat(64)]) {
      const ask = () =>
        Promise.allSettled([
          sdk.identify({ body: { userId: "ada", userHash: hash } }),
          sdk.getMessages({ query: { userId: "ada", userHash: hash } }),
          sdk.getMessages({ query: { userId: "ada" }, headers: { "X-User-Hash": hash } }),
          fetch(`${server.url}/api/v1/messages?%75serHash=${hash}`),
          fetch(`${server.url}/nowhere?userHash=${hash}`),
        ]);
      assert.equal((await ask()).length, 5);
    }
    const { code, stdout, stderr } = await stop(server);
    assert.equal(code, 0);
    assert.match(stderr, /"path":"\/api\/v1\/messages".*"status":200/);
    for (const kept of [await secret(), userHash, "0".repeat(64)])
      assert.ok(!(stdout + stderr).includes(kept));
  });
});
