import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { basename } from "node:path";
import { after, describe, it } from "node:test";
import { codeHouse, ownRepository } from "../../../../test/from-code.ts";
import type { TestHouse, TestProject } from "../../../../test/harness.ts";
import { startDnsServer } from "../../../../test/peers/dns-server.ts";
import { startGitServer } from "../../../../test/peers/git-server.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { giveRole, makePerson, type TestPerson } from "../../../../test/people.ts";
import { keepSecrets } from "../../../../test/secrets/secrets-of-the-run.ts";
import { mirrorsOf } from "./looks/remote.ts";
import { findSource } from "./store.ts";

const dns = await startDnsServer();
after(() => dns.close());
/** One that is not given to anybody: it counts as public, and no server has it. */
const PUBLIC = "2d00:0:0:0:0:0:0:1";
for (const name of ["git.example.com", "evil.example"]) dns.zone.set(name, { addresses: [PUBLIC] });
const house = codeHouse({ dnsServer: dns.address });

type Answer = { status: number; text: string; body: Record<string, unknown> };

async function ask(
  at: TestHouse,
  { projectId }: TestProject,
  person: TestPerson,
  [method, path, body]: [string, string, object?],
): Promise<Answer> {
  const response = await fetch(`${at.url}/api/people${path}`, {
    method,
    headers: { ...person.headers(projectId), ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? {} : JSON.parse(text) };
}

/** A project with a person who owns it, or who runs the server. */
async function owned(isOperator = false) {
  const project = await house.project();
  const person = await makePerson(house, isOperator ? { role: "owner", isOperator } : {});
  if (!isOperator) await giveRole(house, project.projectId, person, "owner");
  const send = (...request: [string, string, object?]) => ask(house, project, person, request);
  return { project, person, send };
}

const WEB = { id: "web", url: "https://git.example.com/acme/web.git" };

const entriesOf = async ({ projectId }: TestProject) => {
  const { rows } = await house.database.pool.query<{ operation: string; target: string; detail: object }>(
    "select operation, target, detail from audit_entries where project_id = $1 order by id",
    [projectId],
  );
  return rows;
};

describe("people connect repositories", () => {
  it("whose credential is kept sealed, and is in no answer and in no log", async () => {
    const { project, send } = await owned();
    const secret = "token-7f21aa90";
    keepSecrets(secret);
    const made = await send("POST", "/sources", {
      ...WEB,
      credential: `ada:${secret}`,
      instructions: "Be kind",
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual((await send("POST", "/sources", WEB)).status, 409);
    const read = await send("GET", "/sources/web");
    assert.deepEqual([read.body.hasCredential, read.body.instructions], [true, "Be kind"]);
    const changed = await send("PATCH", "/sources/web", { branch: "next", paused: true });
    assert.equal(changed.status, 200, changed.text);
    const row = await findSource(house.database.kysely, project.projectId, "web");
    assert.deepEqual([row?.branch, row?.paused, row?.generation], ["next", true, 2]);
    const entries = await entriesOf(project);
    assert.deepEqual(
      entries.map(({ operation, target }) => [operation, target]),
      [
        ["connectSource", "web"],
        ["changeSource", "web"],
      ],
    );
    const answers = JSON.stringify([made.body, read.body, changed.body, entries]);
    assert.ok(!answers.includes(secret) && answers.includes('"hasCredential":true'));
    const { status } = await send("PATCH", "/sources/web", { credential: null });
    assert.equal(status, 200);
    assert.equal((await findSource(house.database.kysely, project.projectId, "web"))?.credential, null);
  });

  it("and a credential goes to no other host than the one for which it was given", async () => {
    const { project, send } = await owned();
    keepSecrets("token-55aa01ff");
    await send("POST", "/sources", { ...WEB, credential: "ada:token-55aa01ff" });
    const elsewhere = { url: "https://evil.example/acme/web.git" };
    const refused = await send("PATCH", "/sources/web", elsewhere);
    assert.equal(refused.status, 409, refused.text);
    for (const url of ["git@evil.example:acme/web.git", "https://git.example.com:8443/acme/web.git"])
      assert.equal((await send("PATCH", "/sources/web", { url })).status, 409, url);
    assert.equal((await findSource(house.database.kysely, project.projectId, "web"))?.url, WEB.url);
    const within = { url: "https://git.example.com/acme/shop.git" };
    assert.equal((await send("PATCH", "/sources/web", within)).status, 200);
    assert.equal((await send("PATCH", "/sources/web", { ...elsewhere, credential: null })).status, 200);
  });

  it("and files and plain HTTP of the server are for those who run it", async () => {
    const [owner, operator] = [await owned(), await owned(true)];
    for (const url of [
      "file:///srv/web.git",
      "http://127.0.0.1/web.git",
      "ext::sh",
      "https://u:p@h/x",
      "x y",
    ]) {
      const { status, text } = await owner.send("POST", "/sources", { ...WEB, url });
      assert.equal(status, 400, text);
      assert.match(text, /"error":"url must/);
    }
    const local = { ...WEB, url: "file:///srv/web.git" };
    assert.equal((await operator.send("POST", "/sources", local)).status, 201);
    assert.equal((await owner.send("POST", "/sources", WEB)).status, 201);
    assert.equal((await owner.send("PATCH", "/sources/web", { url: "file:///srv/web.git" })).status, 400);
    const github = { ...WEB, id: "hub", kind: "github", url: "git@host:acme/web.git" };
    assert.match((await owner.send("POST", "/sources", github)).text, /repository at GitHub/);
  });

  it("and hosts of the server's own network too, however they are written", async () => {
    const [owner, operator] = [await owned(), await owned(true)];
    const inside = ["https://10.0.0.5/web.git", "git@localhost:web.git", "ssh://git@[fd00::1]/web.git"];
    assert.equal((await owner.send("POST", "/sources", WEB)).status, 201);
    for (const [n, url] of inside.entries()) {
      const refused = await owner.send("POST", "/sources", { id: "in", url });
      assert.deepEqual(
        [refused.status, refused.body.error],
        [403, "url leads to this server or its network: an operator has to connect it."],
        url,
      );
      assert.equal((await owner.send("PATCH", "/sources/web", { url })).status, 403, url);
      assert.equal((await operator.send("POST", "/sources", { id: `in-${n}`, url })).status, 201, url);
    }
    for (const url of [
      "ssh://%31%30.0.0.5/web.git",
      "ssh://git.example.com?@10.0.0.5/web.git",
      "ssh://a%40internal%2F@git.example.com/web.git",
      "ssh:internal",
    ]) {
      const { status, body } = await owner.send("POST", "/sources", { id: "odd", url });
      assert.deepEqual([status, body.error], [400, "url must name a plain host"], url);
    }
    const { projectId } = owner.project;
    await house.database.pool.query("update sources set url = $2, by_operator = true where project_id = $1", [
      projectId,
      inside[0],
    ]);
    const same = await owner.send("PATCH", "/sources/web", { url: inside[0], branch: "next" });
    assert.equal(same.status, 200, "what an operator connected stays");
  });

  it("and a name leads where it led when it was looked at, and no further", {
    skip: WITHOUT_GIT,
  }, async () => {
    const [owner, operator] = [await owned(), await owned(true)];
    const listener = createServer();
    let connections = 0;
    listener.on("connection", (socket) => {
      connections++;
      socket.destroy();
    });
    await once(listener.listen(0, "127.0.0.1"), "listening");
    // A server that listens on a port has an address of this kind.
    const { port } = listener.address() as AddressInfo;
    for (const host of ["a.localhost", "localhost", "db", "a.internal", "a.localhost."]) {
      const { status } = await owner.send("POST", "/sources", { ...WEB, url: `https://${host}:${port}/x` });
      assert.equal(status, 403, host);
    }
    const typed = await owner.send("POST", "/sources", { ...WEB, url: "https://nowhere.example/x" });
    assert.deepEqual(
      [typed.status, typed.body.error],
      [400, "url: there is no host nowhere.example; look at the spelling"],
    );
    dns.zone.set("mute.example", "broken");
    const mute = await owner.send("POST", "/sources", { ...WEB, url: "https://mute.example/x" });
    assert.deepEqual(
      [mute.status, mute.body.error],
      [503, "DNS did not say where mute.example is: try again."],
    );

    dns.zone.set("moved.example", { addresses: [PUBLIC] });
    const url = `https://moved.example:${port}/x`;
    assert.equal((await owner.send("POST", "/sources", { ...WEB, url })).status, 201);
    dns.zone.set("moved.example", { addresses: ["127.0.0.1"] });
    const moved = await owner.send("POST", "/sources/web/check");
    const private_ = {
      reason: "unavailable",
      detail: "Its address is not one of the public internet.",
      tipSha: null,
    };
    assert.deepEqual(moved.body, private_);
    const { projectId } = owner.project;
    for (const there of [
      `https://127.0.0.1:${port}/x`,
      "https://127.0.0.1:1/x",
      `https://a.localhost:${port}/x`,
    ]) {
      await house.database.pool.query("update sources set url = $2 where project_id = $1", [
        projectId,
        there,
      ]);
      assert.deepEqual((await owner.send("POST", "/sources/web/check")).body, private_, there);
    }
    assert.equal(connections, 0);
    await operator.send("POST", "/sources", { ...WEB, url: `https://127.0.0.1:${port}/x` });
    await operator.send("POST", "/sources/web/check");
    assert.ok(connections > 0, "an operator's is asked");
    listener.close();
  });

  it("and what cannot be one is refused", async () => {
    const { send } = await owned();
    for (const [body, says] of [
      [{ ...WEB, id: " " }, /id must not be blank/],
      [{ ...WEB, id: "a\u0001" }, /id must not/],
      [{ ...WEB, branch: "a..b" }, /branch must be the name of a branch/],
      [{ ...WEB, credential: "none" }, /credential must contain user:token/],
      [
        { ...WEB, credential: "-----BEGIN OPENSSH PRIVATE KEY-----" },
        /credential is a key of ssh, which needs the keys of the host/,
      ],
      [{ ...WEB, knownHosts: "h" }, /knownHosts must be given together/],
      [{ ...WEB, instructions: "x".repeat(8_001) }, /instructions must be at most/],
    ] as [object, RegExp][]) {
      const { status, text } = await send("POST", "/sources", body);
      assert.deepEqual([status, says.test(text)], [400, true], text);
    }
    assert.equal((await send("POST", "/sources", WEB)).status, 201);
    assert.match((await send("PATCH", "/sources/web", {})).text, /Say what to change/);
    const any = { id: "a/b é 💥", url: WEB.url };
    assert.equal((await send("POST", "/sources", any)).status, 201);
    assert.equal((await send("GET", `/sources/${encodeURIComponent(any.id)}`)).status, 200);
  });

  it("one of many that are connected under one name at once, and 100 at most", async () => {
    const { project, send } = await owned();
    const all = await Promise.all(Array.from({ length: 8 }, () => send("POST", "/sources", WEB)));
    assert.deepEqual(all.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)]);
    await house.database.pool.query(
      `insert into sources (project_id, id, url, branch, instructions, created_at, look_at)
       select $1, 'n' || n, 'https://git.example.com/x', 'main', '', 1, 9e15 from generate_series(1, 99) n`,
      [project.projectId],
    );
    assert.match((await send("POST", "/sources", { ...WEB, id: "more" })).text, /at most 100 sources/);
  });
});

describe("people say where a repository goes", () => {
  it("and confirm, and take an environment away, of their own project alone", async () => {
    const [mine, other] = [await owned(), await owned()];
    for (const { send } of [mine, other]) await send("POST", "/sources", WEB);
    const put = (body: object) => mine.send("PUT", "/sources/web/mappings", body);
    const first = await put({ environment: "production", follows: "refs/heads/production", scope: "EU" });
    assert.equal(first.status, 200, first.text);
    const { id, confirmedBy, follows } = first.body.mapping as Record<string, string>;
    assert.deepEqual([confirmedBy, follows], [mine.person.name, "refs/heads/production"]);
    const again = await put({ environment: "production" });
    assert.deepEqual(
      [(again.body.mapping as { id: string }).id, (again.body.mapping as { follows: null }).follows],
      [id, null],
    );
    for (const wrong of ["main", "refs/heads/", "refs/heads/a..b", "refs/heads/a b", "refs/notes/x"])
      assert.equal((await put({ environment: "production", follows: wrong })).status, 400, wrong);
    assert.equal((await mine.send("PUT", "/sources/none/mappings", { environment: "x" })).status, 404);
    assert.equal((await other.send("DELETE", `/sources/web/mappings/${id}`)).status, 404);
    assert.equal((await mine.send("DELETE", `/sources/web/mappings/${id}`)).status, 204);
    assert.equal((await mine.send("DELETE", `/sources/web/mappings/${id}`)).status, 404);
    assert.deepEqual((await mine.project.api.listSources()).sources[0]?.mappings, []);
    const operations = (await entriesOf(mine.project)).map(({ operation }) => operation);
    assert.deepEqual(operations, ["connectSource", "confirmMapping", "confirmMapping", "removeMapping"]);
  });
});

describe("people ask a repository", { skip: WITHOUT_GIT }, () => {
  it("whether it can be read, and remove it with its mirror", async () => {
    const { project, send } = await owned(true);
    const repository = ownRepository();
    const sha = repository.commit({ "a.txt": "a" });
    const secret = "token-0b1c2d3e";
    keepSecrets(secret, Buffer.from(`ada:${secret}`).toString("base64"));
    const git = await startGitServer(repository.folder, `ada:${secret}`);
    await send("POST", "/sources", { id: "web", url: `${git.url}/${basename(repository.folder)}/.git` });
    const before = await send("POST", "/sources/web/check");
    assert.deepEqual([before.status, before.body.reason, before.body.tipSha], [200, "auth", null]);
    await send("PATCH", "/sources/web", { credential: `ada:${secret}` });
    const after = await send("POST", "/sources/web/check");
    assert.deepEqual(after.body, { reason: null, detail: null, tipSha: sha });
    await send("PATCH", "/sources/web", { branch: "none" });
    assert.equal((await send("POST", "/sources/web/check")).body.reason, "branch_missing");
    await send("PATCH", "/sources/web", { branch: "main" });
    await house.drain();
    const mirrors = mirrorsOf(house.tidings.app.config, { projectId: project.projectId, id: "web" });
    assert.equal(existsSync(mirrors), true);
    assert.equal((await project.api.listSources()).sources[0]?.state, "ok");
    await git.close();
    assert.equal((await send("DELETE", "/sources/web")).status, 204);
    assert.equal(existsSync(mirrors), false);
    assert.deepEqual((await project.api.listSources()).sources, []);
    assert.equal((await send("DELETE", "/sources/web")).status, 404);
  });

  it("one at a time of a project, and expensive reads go on meanwhile", async () => {
    const [mine, other] = [await owned(true), await owned(true)];
    const mute = createServer();
    const connected = once(mute, "connection");
    await once(mute.listen(0, "127.0.0.1"), "listening");
    // A server that listens on a port has an address of this kind.
    const { port } = mute.address() as AddressInfo;
    for (const { send } of [mine, other])
      await send("POST", "/sources", { id: "web", url: `http://127.0.0.1:${port}/web.git` });
    const first = mine.send("POST", "/sources/web/check");
    const [socket] = (await connected) as [Socket];
    const busy = await mine.send("POST", "/sources/web/check");
    assert.deepEqual([busy.status, /is being asked/.test(busy.text)], [409, true]);
    assert.equal((await mine.send("GET", "/waiting")).status, 200);
    const elsewhere = once(mute, "connection");
    const second = other.send("POST", "/sources/web/check");
    const [further] = (await elsewhere) as [Socket];
    for (const each of [socket, further]) each.destroy();
    mute.close();
    for (const answer of [await first, await second])
      assert.deepEqual([answer.status, answer.body.reason], [200, "unavailable"], answer.text);
    assert.equal((await mine.send("POST", "/sources/web/check")).status, 200, "the place is free again");
  });
});
