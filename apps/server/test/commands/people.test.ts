import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PASSWORD } from "../people.ts";
import { keepSecrets } from "../secrets/secrets-of-the-run.ts";
import {
  cleanUp,
  done,
  type Ended,
  keysOf,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  tidings,
} from "./spawned.ts";

after(cleanUp);

describe("tidings people", () => {
  let env: Record<string, string>;
  let server: Spawned;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
  });

  const run = (...args: string[]): Promise<Ended> => tidings(["people", ...args], env);

  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: server.url },
      body: JSON.stringify(body),
    });
    return { status: response.status, cookie: response.headers.getSetCookie()[0] ?? "" };
  };

  /** The secret of the link on the first line of what a command printed. */
  function tokenIn(printed: string): string {
    const [link = ""] = printed.split("\n");
    const token = new URL(link).hash.slice(1);
    keepSecrets(token);
    return token;
  }

  const use = async (token: string, more: object = {}) =>
    (await post("/api/people/links/use", { token, password: PASSWORD, ...more })).status;

  it("lets the first person in by a link, which the start has printed as well", async () => {
    assert.equal(await done(run("list")), 'There is nobody yet: "tidings people link" prints the way in.\n');
    const token = tokenIn(await done(run("link")));
    assert.equal(await use(token, { name: "Grace", email: "grace@example.com" }), 200);
    await refused(run("link"), /^There are people already: say whose password with --email\.$/m);
  });

  it("invites, lists and removes", async () => {
    const { projectId } = keysOf(server);
    const token = tokenIn(
      await done(run("invite", "--email", "Ada@Example.com", "--role", "editor", "--project", projectId)),
    );
    assert.equal(await use(token, { name: "Ada" }), 200);
    const again = await done(run("invite", "--email", "ada@example.com", "--role", "viewer"));
    assert.equal(again, "ada@example.com is here already, and has the role now.\n");
    assert.equal(
      await done(run("list")),
      `grace@example.com  Grace  operator, owner of all projects\nada@example.com  Ada  viewer of all projects, editor of ${projectId}\n`,
    );
    assert.equal(await done(run("remove", "--email", "ada@example.com")), "Ada is removed.\n");
    await refused(run("remove", "--email", "ada@example.com"), /^There is no person ada@example\.com/);
    await refused(run("remove", "--email", "grace@example.com"), /^This is the only operator/);
  });

  it("lets a person back in who has lost the password", async () => {
    const token = tokenIn(await done(run("link", "--email", "grace@example.com")));
    const password = "a new horse battery";
    keepSecrets(password);
    assert.equal(await use(token, { password }), 200);
    const signingIn = (given: string) =>
      post("/api/people/auth/sign-in/email", { email: "grace@example.com", password: given });
    assert.equal((await signingIn(PASSWORD)).status, 401);
    const { status, cookie } = await signingIn(password);
    assert.equal(status, 200);
    const response = await fetch(`${server.url}/api/people/audit`, {
      headers: { cookie: cookie.split(";")[0] ?? "", "x-tidings-project": "-" },
    });
    const { entries } = (await response.json()) as { entries: { operation: string; by: { kind: string } }[] };
    assert.deepEqual(
      entries.map(({ operation, by }) => `${by.kind} ${operation}`),
      [
        "human signIn",
        "human useLink",
        "command makePasswordLink",
        "command removePerson",
        "command invitePerson",
        "human useLink",
        "command invitePerson",
        "human useLink",
      ],
    );
  });

  it("says which option is wrong", async () => {
    await refused(run("invite", "--email", "nonsense", "--role", "viewer"), /must be an email address/);
    await refused(run("invite", "--email", "a@example.com", "--role", "king"), /Allowed choices are viewer/);
    await refused(
      run("invite", "--email", "a@example.com", "--role", "viewer", "--project", "none"),
      /^There is no project none/,
    );
    await refused(run("link", "--email", "none@example.com"), /^There is no person none@example\.com/);
  });
});
