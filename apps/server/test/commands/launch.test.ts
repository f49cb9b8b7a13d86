import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@tidings/client";
import { toast } from "../factories.ts";
import { ownRepository } from "../from-code.ts";
import { startGitServer } from "../peers/git-server.ts";
import { type Repository, WITHOUT_GIT } from "../peers/repository.ts";
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
  stop,
  tidings,
  until,
} from "./spawned.ts";

let env: Record<string, string>;
let server: Spawned;
let projectId: string;
let api: Client;
let page: Client;
let folder: string;

after(cleanUp);

const run = (...args: string[]): Promise<Ended> => tidings([...args, "--project", projectId], env);
const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await done(run(...args, "--json"))) as T;

const announce = async (...shas: string[]): Promise<string> => {
  const changes = shas.map((sha) => ({ sourceId: "web", kind: "commit" as const, sha }));
  const body = { name: "Dark\u001b[31m mode", message: toast("It is here"), sourceChanges: { changes } };
  return (await api.createCampaign({ body })).campaign.id;
};

describe("commands of launches", { skip: WITHOUT_GIT }, () => {
  let repository: Repository;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidings-credentials-"));
    repository = ownRepository();
    env = { DATA_DIR: await migratedDataDir(), RATE_LIMITS: "off" };
    server = await serve(env);
    const keys = keysOf(server);
    projectId = keys.projectId;
    api = createClient(server.url, keys.secretKey);
    page = createClient(server.url, keys.publishableKey);
  });
  after(async () => {
    await rm(folder, { recursive: true });
    assert.equal((await stop(server)).code, 0);
  });

  it("source add, list, check, set and remove; a credential is kept and never shown", async () => {
    const secret = "token-a8f31c90";
    keepSecrets(secret, Buffer.from(`ada:${secret}`).toString("base64"));
    const git = await startGitServer(repository.folder, `ada:${secret}`);
    const url = `${git.url}/${basename(repository.folder)}/.git`;
    assert.match(await done(run("source", "list")), /There are no sources/);
    await refused(
      run("source", "add", "private", "--url", `http://ada:${secret}@127.0.0.1/x`),
      /must not contain a credential/,
    );
    await refused(run("source", "add", "private", "--url", "ext::sh"), /--url must begin with https:/);
    await refused(
      run("source", "add", "private", "--url", url, "--credential", join(folder, "none")),
      /ENOENT/,
    );
    await refused(run("source", "add", "--url", url), /Name the source/);
    await refused(
      run("source", "add", "x", "--kind", "github", "--url", "file:///srv/x"),
      /repository at GitHub/,
    );
    await refused(
      run("source", "add", "x", "--kind", "svn", "--url", url),
      /Allowed choices are git, github/,
    );
    await refused(run("source", "add", "private", "--id", "other", "--url", url), /Name one source/);
    await done(run("source", "add", "--id", "private", "--url", url));
    await refused(run("source", "add", "private", "--url", url), /has a source of this id already/);
    assert.match((await run("source", "check", "private")).stdout, /cannot be read: auth/);
    const file = join(folder, "credential");
    await writeFile(file, `\ufeffada:${secret}\n`, "utf16le");
    await refused(run("source", "set", "private", "--credential", file), /must be UTF-8: this is UTF-16/);
    await writeFile(file, `\ufeffada:${secret}\n`);
    await done(run("source", "set", "private", "--credential", file));
    assert.match(
      await done(run("source", "check", "private")),
      new RegExp(`private can be read: .* is at ${repository.tip()}`),
    );
    await until(
      async () => (await api.listSources()).sources[0]?.state === "ok",
      "the server has fetched it",
    );
    const [listed] = await json<{ id: string; state: string; repository: string }[]>("source", "list");
    assert.deepEqual([listed?.id, listed?.state, listed?.repository], ["private", "ok", url]);
    await refused(run("source", "set", "private"), /Say what to change/);
    await refused(run("source", "set", "other", "--paused", "true"), /^Source not found: other$/m);
    await done(run("source", "set", "private", "--paused", "true", "--instructions", "Be kind"));
    assert.equal((await api.listSources()).sources[0]?.paused, true);
    await done(run("source", "remove", "private"));
    await refused(run("source", "remove", "private"), /^Source not found: private$/m);
    await git.close();
  });

  it("go from a commit to a launched campaign, and take back and override what people decide", async () => {
    const sha = repository.commit({ "a.txt": "a" });
    await done(run("source", "add", "web", "--url", repository.url));
    await refused(
      run("mapping", "add", "--source", "app", "--environment", "production"),
      /^Source not found: app$/m,
    );
    const follows = ["--follows", "refs/heads/production"];
    await done(
      run("mapping", "add", "--source", "web", "--environment", "production", ...follows, "--by", "Ada"),
    );
    const [source] = (await api.listSources()).sources;
    assert.deepEqual(
      source?.mappings.map(({ environment, follows: ref, confirmedBy }) => [environment, ref, confirmedBy]),
      [["production", "refs/heads/production", "Ada"]],
    );
    const [id, waiting] = [await announce(sha), await announce("f".repeat(40))];
    const list = await done(run("approvals", "list"));
    assert.match(list, new RegExp(`${id}   pending`));
    assert.ok(!list.includes("\u001b"));
    const shown = await done(run("approvals", "show", id));
    assert.match(shown, /A, title: "It is here"/);
    assert.match(shown, new RegExp(`web: commit ${sha.slice(0, 12)}`));
    const { revision } = await json<{ revision: string }>("approvals", "show", id);
    await api.updateCampaign({ path: { id }, body: { message: toast("It is there") } });
    const approve = (...more: string[]) => run("approvals", "approve", id, ...more);
    await refused(approve("--revision", revision.slice(0, 12)), /another revision than you named/);
    await refused(approve("--hash", revision), /--hash and --for-good are for proposals/);
    await refused(run("approvals", "approve", "cmp_other"), /no such campaign/);
    await done(run("launch", "pause"));
    const { revision: now } = await json<{ revision: string }>("approvals", "show", id);
    assert.match(await done(approve("--by", "Ada", "--revision", now.slice(0, 12))), /approved by Ada/);
    repository.git("branch", "production");
    await until(async () => {
      // A mapping that is confirmed anew has the source looked at now.
      await done(run("mapping", "add", "--source", "web", "--environment", "production", ...follows));
      const { assessment } = await api.getCampaignActivation({ path: { id } });
      return assessment.blockers.map(({ code }) => code).join() === "project_paused";
    }, "only the pause is in the way");
    await done(run("launch", "resume"));
    await until(
      async () => (await api.getCampaign({ path: { id } })).campaign.status === "running",
      "it launches by itself",
    );
    await refused(approve(), /launched already/);

    await refused(run("launch", "campaign", "cmp_other", "--reason", "x"), /no campaign cmp_other/);
    await refused(run("launch", "campaign", id, "--reason", "x"), /running already/);
    assert.notEqual((await run("launch", "campaign", waiting)).code, 0);
    const check = async () => (await done(run("launch", "check", waiting))).trim();
    assert.equal(await check(), "No page carries Tidings yet: nobody can see it.");
    await page.getMessages({ query: { userId: "ada" } });
    assert.equal(await check(), "Nothing was found.");
    await refused(run("launch", "check", "cmp_other"), /no campaign and no proposal cmp_other/);
    await api.identify({ body: { userId: "ada", traits: {} } });
    await api.updateCampaign({
      path: { id: waiting },
      body: { message: { ...toast("<b>Hi</b>"), body: "{{ user.first_name }}" } },
    });
    const wrong =
      /^1 of 1 users have no user\.first_name, and there is no default\.\n\/variants\/0\/content\/title: HTML is shown as text/;
    assert.match(await done(run("launch", "check", waiting)), wrong);
    const launched = await done(
      run("launch", "campaign", waiting, "--reason", "The flag is on", "--by", "Ada"),
    );
    assert.match(launched, wrong);
    assert.match(launched, /is launched\.$/m);
    const { launch } = await api.getCampaignActivation({ path: { id: waiting } });
    assert.deepEqual(launch?.override, { by: "Ada", reason: "The flag is on" });
    await done(run("mapping", "remove", "--source", "web", "--environment", "production"));
    await refused(
      run("mapping", "remove", "--source", "web", "--environment", "production"),
      /no mapping of web/,
    );
    assert.match(await done(run("doctor")), /^0 differences/m);
  });
});
