import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { until } from "../../../test/commands/spawned.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { startDnsServer } from "../../../test/peers/dns-server.ts";
import { clientOf } from "../../../test/people.ts";
import { exportText, importText } from "../../../test/portable.ts";
import { keepSecrets } from "../../../test/secrets/secrets-of-the-run.ts";
import { type Answer as Answered, openReceiver, type Received } from "../../../test/webhooks.ts";
import { uuidFor } from "../../domain/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { stopFlooded } from "./forget.ts";
import { KEPT_DAYS, MOST_WEBHOOKS } from "./schema.ts";
import { writeNews } from "./sending/outcome-store.ts";

const dns = await startDnsServer();
after(() => dns.close());
const house = testHouse({ webhooksPrivate: true });
const strict = testHouse({ webhooksPrivate: false, dnsServer: dns.address });
afterEach(async () => {
  assert.deepEqual(await house.differences(), {});
  assert.deepEqual(await strict.differences(), {});
});

const OK: Answered = { status: 204 };

async function listened(
  answers: (message: Received, tries: number) => Answered | Promise<Answered> = () => OK,
) {
  const project = await house.project();
  const receiver = await openReceiver(answers);
  const body = { url: receiver.url, types: ["user.identified" as const] };
  const { webhook, secret } = await project.api.createWebhook({ body });
  keepSecrets(secret);
  const path = { id: webhook.id };
  return {
    project,
    receiver,
    path,
    secret,
    webhook: async () => (await project.api.getWebhook({ path })).webhook,
    messages: async () => (await project.api.listWebhookMessages({ path, query: { limit: 100 } })).messages,
  };
}

const identify = (project: TestProject, userId: string) =>
  project.sdk.identify({ body: { userId, traits: { plan: "pro" } } });

const usersOf = (received: readonly Received[]): unknown[] => received.map(({ data }) => data.userId);

async function reasonOf(call: Promise<unknown>): Promise<[number, unknown]> {
  const { status, body } = await refusal(call);
  return [status, (body as { reason?: unknown }).reason];
}

describe("a webhook that is off", () => {
  it("is kept nothing for; on again, it gets what waited, at once", async () => {
    let isDown = true;
    const { project, receiver, path, webhook } = await listened(() => ({ status: isDown ? 500 : 204 }));
    await identify(project, "anna");
    await house.drain();
    for (let tries = 0; tries < 4; tries++) {
      house.advance(3 * HOUR_MS);
      await house.drain();
    }
    await project.api.changeWebhook({ path, body: { state: "off" } });
    const { state, offBecause, offAt, waiting } = await webhook();
    assert.deepEqual([state, offBecause, offAt, waiting], ["off", "person", house.now(), 1]);
    await identify(project, "ben");
    isDown = false;
    receiver.received.length = 0;
    await house.drain();
    assert.deepEqual(receiver.received, []);
    await project.api.changeWebhook({ path, body: { state: "on" } });
    await identify(project, "cleo");
    await house.drain();
    assert.deepEqual(usersOf(receiver.received), ["anna", "cleo"]);
    const on = await webhook();
    assert.deepEqual(
      [on.offBecause, on.offAt, on.failingSince, on.fault, on.waiting],
      [null, null, null, null, 0],
    );
  });

  it("is so once it answers 410, also where it took something just before", async () => {
    const { project, receiver, path, webhook } = await listened(({ data }) => ({
      status: data.userId === "gone" ? 410 : 204,
    }));
    await identify(project, "anna");
    await house.drain();
    await Promise.all(["gone", "ben"].map((userId) => identify(project, userId)));
    await house.drain();
    const { state, offBecause, fault } = await webhook();
    assert.deepEqual([state, offBecause], ["off", "gone"]);
    assert.ok(fault === null || /410/.test(fault));
    const before = receiver.received.length;
    house.advance(DAY_MS);
    await house.drain();
    assert.equal(receiver.received.length, before);
    await project.api.changeWebhook({ path, body: { state: "off" } });
    assert.equal((await webhook()).offBecause, "gone");
  });

  it("is so where one answer of several that are recorded together was 410", async () => {
    const { project, path, webhook } = await listened();
    await identify(project, "anna");
    await house.drain();
    const { projectId } = project;
    const at = { succeededAt: house.now(), failedAt: house.now(), now: house.now() };
    const news = { id: uuidFor("wh", path.id), projectId, fault: "It answered 410.", isGone: true };
    await writeNews(house.database.hotPool, [{ ...news, ...at }]);
    assert.deepEqual([(await webhook()).state, (await webhook()).offBecause], ["off", "gone"]);
  });

  it("is so after five days without success, and not a moment before", async () => {
    const { project, path, webhook } = await listened(() => ({ status: 500 }));
    const since = house.now();
    for (let day = 0; (await webhook()).state === "on"; day++) {
      await identify(project, `user-${day}`);
      await house.drain();
      assert.ok(day < 7);
      if ((await webhook()).state === "on") house.advance(DAY_MS);
    }
    const { offBecause, failingSince, offAt, fault } = await webhook();
    assert.deepEqual(
      [offBecause, failingSince, offAt, fault],
      ["failing", since, house.now(), "It answered 500."],
    );
    assert.equal(house.now() - since, 5 * DAY_MS);
    await project.api.changeWebhook({ path, body: { state: "on" } });
    assert.equal((await webhook()).failingSince, null);
    await house.drain();
    const again = await webhook();
    assert.deepEqual([again.state, again.failingSince], ["on", house.now()]);
  });

  it("is so where too many messages wait", async () => {
    const { project, webhook } = await listened(() => ({ status: 500 }));
    const other = await listened(() => ({ status: 500 }));
    for (let n = 0; n < 3; n++) await identify(project, `user-${n}`);
    await identify(other.project, "anna");
    await stopFlooded(house.tidings.app, 3);
    assert.equal((await webhook()).state, "on");
    await stopFlooded(house.tidings.app, 2);
    assert.deepEqual([(await webhook()).state, (await webhook()).offBecause], ["off", "flooded"]);
    assert.equal((await other.webhook()).state, "on");
    await house.drain();
  });

  it("has no message to try it with, and a replay waits until it is on", async () => {
    const { project, receiver, path, messages } = await listened();
    await identify(project, "anna");
    await house.drain();
    await project.api.changeWebhook({ path, body: { state: "off" } });
    assert.deepEqual(await reasonOf(project.api.testWebhook({ path })), [409, "off"]);
    const [message] = await messages();
    await project.api.replayWebhookMessages({ path, body: { messageId: message?.id ?? "" } });
    await house.drain();
    assert.equal(receiver.received.length, 1);
    await project.api.changeWebhook({ path, body: { state: "on" } });
    await house.drain();
    assert.equal(receiver.received.length, 2);
    assert.equal(receiver.received[0]?.id, receiver.received[1]?.id);
  });
});

describe("what a webhook may be", () => {
  it("is an https address of the public internet, unless an operator allows others", async () => {
    const { api } = await strict.project();
    const types = ["user.erased" as const];
    const make = (url: string) => api.createWebhook({ body: { url, types } });
    dns.zone.set("hooks.example.com", { addresses: ["93.184.216.34"] });
    dns.zone.set("inner.example.com", { addresses: ["10.0.0.5"] });
    dns.zone.set("both.example.com", { addresses: ["93.184.216.34", "127.0.0.1"] });
    assert.deepEqual(await reasonOf(make("http://hooks.example.com/")), [409, "not_https"]);
    for (const host of [
      "127.1",
      "[::1]",
      "[::ffff:10.0.0.5]",
      "169.254.169.254",
      "localhost",
      "db.internal",
      "inner.example.com",
      "both.example.com",
    ])
      assert.deepEqual(await reasonOf(make(`https://${host}/`)), [409, "private_address"], host);
    for (const url of [
      "",
      "hooks.example.com",
      "ftp://hooks.example.com/",
      "javascript:alert(1)",
      "https://",
      "https://a b/",
    ])
      assert.equal((await refusal(make(url))).status, 400, url);
    for (const url of ["https://me@hooks.example.com/", "https://me:secret@hooks.example.com/"])
      assert.match(JSON.stringify((await refusal(make(url))).body), /name or a password/);
    assert.equal((await refusal(make(`https://hooks.example.com/${"x".repeat(5_000)}`))).status, 400);
    assert.equal((await refusal(make("https://hooks.example.com/\u0000"))).status, 400);
    const { webhook } = await make("https://hooks.example.com/ä?x=1#y");
    const path = { id: webhook.id };
    const change = (url: string) => api.changeWebhook({ path, body: { url } });
    assert.deepEqual(await reasonOf(change("https://localhost/")), [409, "private_address"]);
    assert.deepEqual(await reasonOf(change("http://hooks.example.com/")), [409, "not_https"]);
    // The name leads inside by now: it cannot be switched on again, and nothing is sent there.
    await api.changeWebhook({ path, body: { state: "off" } });
    dns.zone.set("hooks.example.com", { addresses: ["127.0.0.1"] });
    assert.deepEqual(await reasonOf(api.changeWebhook({ path, body: { state: "on" } })), [
      409,
      "private_address",
    ]);
  });

  it("sends nothing to a name that leads inside by the time that a message leaves", async () => {
    const project = await strict.project();
    let connections = 0;
    const receiver = await openReceiver();
    receiver.server.on("connection", () => connections++);
    const url = new URL(receiver.url);
    dns.zone.set("moves.example.com", { addresses: ["93.184.216.34"] });
    const body = { url: `https://moves.example.com:${url.port}/`, types: ["user.identified" as const] };
    const { webhook } = await project.api.createWebhook({ body });
    dns.zone.set("moves.example.com", { addresses: ["127.0.0.1"] });
    await identify(project, "anna");
    await strict.drain();
    const { fault } = (await project.api.getWebhook({ path: { id: webhook.id } })).webhook;
    assert.match(fault ?? "", /leads to this server or its network/);
    assert.equal(connections, 0);
  });

  it("has types of the list, each once", async () => {
    const { api } = await house.project();
    const url = "https://example.com/";
    const make = (types: readonly string[]) => api.createWebhook({ body: { url, types: types as ["*"] } });
    for (const types of [[], ["nothing"], ["test"], ["delivery.*"], ["user.identified", ""]])
      assert.equal((await refusal(make(types))).status, 400, String(types));
    const { webhook } = await make(["user.erased", "*", "user.erased"]);
    assert.deepEqual(webhook.types, ["user.erased", "*"]);
    const path = { id: webhook.id };
    const changed = await api.changeWebhook({
      path,
      body: { types: ["run.created", "run.created"], description: "Ä" },
    });
    assert.deepEqual([changed.webhook.types, changed.webhook.description], [["run.created"], "Ä"]);
    assert.equal((await api.changeWebhook({ path, body: { description: null } })).webhook.description, null);
  });

  it("is one of ten at most, however many are made at once", async () => {
    const { api } = await house.project();
    const make = () => api.createWebhook({ body: { url: "https://example.com/", types: ["*"] } });
    const made = await Promise.allSettled(Array.from({ length: MOST_WEBHOOKS + 5 }, make));
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, MOST_WEBHOOKS);
    assert.deepEqual(await reasonOf(make()), [409, "too_many"]);
    const [first] = (await api.listWebhooks()).webhooks;
    await api.deleteWebhook({ path: { id: first?.id ?? "" } });
    await make();
  });

  it("is known to its own project alone", async () => {
    const { project, path, messages } = await listened();
    await identify(project, "anna");
    await house.drain();
    const messageId = (await messages())[0]?.id ?? "";
    const { api } = await house.project();
    const own = await api.createWebhook({ body: { url: "https://example.com/", types: ["*"] } });
    for (const call of [
      () => api.getWebhook({ path }),
      () => api.changeWebhook({ path, body: { state: "off" } }),
      () => api.deleteWebhook({ path }),
      () => api.rotateWebhookSecret({ path, body: {} }),
      () => api.testWebhook({ path }),
      () => api.replayWebhookMessages({ path, body: { since: 0 } }),
      () => api.listWebhookMessages({ path }),
      () => api.getWebhookMessage({ path: { ...path, messageId } }),
      () => api.getWebhookMessage({ path: { id: own.webhook.id, messageId } }),
      () => api.replayWebhookMessages({ path: { id: own.webhook.id }, body: { messageId } }),
    ])
      assert.equal((await refusal(call())).status, 404);
    assert.deepEqual(
      (await api.listWebhooks()).webhooks.map(({ id }) => id),
      [own.webhook.id],
    );
  });
});

describe("secrets of webhooks", () => {
  it("sign what is sent, and former ones as long as they are kept", async () => {
    const { project, receiver, path, secret } = await listened();
    const { client: owner } = await clientOf(house, project.projectId, "owner");
    const rotate = async (keepHours: number) => {
      const made = await owner.rotateWebhookSecret({ path, body: { keepHours } });
      keepSecrets(made.secret);
      return made;
    };
    /** Which secrets the last message verifies by, as a receiver does it. */
    const verifiedBy = async (secrets: readonly string[]): Promise<boolean[]> => {
      await project.api.testWebhook({ path });
      await house.drain();
      const message = receiver.received.at(-1);
      assert.ok(message !== undefined);
      const headers = message.headers as Record<string, string>;
      const at = Math.floor(house.now() / SECOND_MS);
      assert.equal(headers["webhook-timestamp"], String(at));
      const signatures = headers["webhook-signature"]?.split(" ") ?? [];
      return secrets.map((each) =>
        signatures.includes(new Webhook(each).sign(message.id, new Date(at * SECOND_MS), message.body)),
      );
    };
    assert.deepEqual(await verifiedBy([secret]), [true]);
    const second = await rotate(24);
    assert.equal(second.webhook.formerSecretUntil, house.now() + DAY_MS);
    assert.deepEqual(await verifiedBy([secret, second.secret]), [true, true]);
    const third = await rotate(1);
    assert.deepEqual(await verifiedBy([secret, second.secret, third.secret]), [false, true, true]);
    house.advance(HOUR_MS);
    assert.deepEqual(await verifiedBy([secret, second.secret, third.secret]), [false, false, true]);
    const fourth = await rotate(0);
    assert.equal(fourth.webhook.formerSecretUntil, null);
    assert.deepEqual(await verifiedBy([third.secret, fourth.secret]), [false, true]);

    const bare = (each: string) => each.slice("whsec_".length);
    const places = [
      JSON.stringify(await project.api.listWebhooks()),
      JSON.stringify(await project.api.getWebhook({ path })),
      await exportText(house, project.projectId, true),
      JSON.stringify(
        (
          await house.database.pool.query("select * from audit_entries where project_id = $1", [
            project.projectId,
          ])
        ).rows,
      ),
    ];
    for (const each of [secret, second.secret, third.secret, fourth.secret])
      for (const place of places) assert.ok(!place.includes(bare(each)));
    assert.match(places[3] ?? "", /rotateWebhookSecret/);
  });
});

describe("a webhook that comes with an import of its project", () => {
  it("is off and has no secret, until it is given one and switched on", async () => {
    const { project, receiver } = await listened();
    const text = await exportText(house, project.projectId, true);
    const { project: copy } = await importText(house, text);
    const [brought] = (await copy.api.listWebhooks()).webhooks;
    assert.deepEqual(
      [brought?.url, brought?.types, brought?.state, brought?.offBecause, brought?.waiting],
      [receiver.url, ["user.identified"], "off", "brought", 0],
    );
    const path = { id: brought?.id ?? "" };
    await identify(copy, "anna");
    await house.drain();
    assert.deepEqual(receiver.received, []);
    const switchOn = () => copy.api.changeWebhook({ path, body: { state: "on" } });
    assert.deepEqual(await reasonOf(switchOn()), [409, "no_secret"]);
    const { secret, webhook } = await copy.api.rotateWebhookSecret({ path, body: {} });
    keepSecrets(secret);
    assert.equal(webhook.formerSecretUntil, null);
    await switchOn();
    await identify(copy, "ben");
    await house.drain();
    assert.deepEqual(usersOf(receiver.received), ["ben"]);
  });
});

describe("messages that are sent once more", () => {
  it("are one, or those of a span that ended in some state, piece by piece", async () => {
    let isDown = false;
    const { project, receiver, path, messages } = await listened(() => ({ status: isDown ? 500 : 204 }));
    const begun = house.now();
    for (const userId of ["anna", "ben", "cleo"]) {
      await identify(project, userId);
      house.advance(MINUTE_MS);
    }
    await house.drain();
    assert.deepEqual(usersOf(receiver.received), ["anna", "ben", "cleo"]);
    const replay = (body: Parameters<typeof project.api.replayWebhookMessages>[0]["body"]) =>
      project.api.replayWebhookMessages({ path, body });
    for (const body of [{}, { messageId: "msg_1", since: 0 }])
      assert.equal((await refusal(replay(body))).status, 400);
    assert.equal(
      (await refusal(replay({ messageId: "msg_00000000-0000-0001-8000-000000000000" }))).status,
      404,
    );
    assert.deepEqual(await replay({ since: begun }), { replayed: 0, next: null });
    const span = { since: begun + MINUTE_MS, until: begun + 2 * MINUTE_MS, state: "delivered" as const };
    assert.deepEqual(await replay(span), { replayed: 1, next: null });
    assert.deepEqual(await replay(span), { replayed: 0, next: null });
    await house.drain();
    assert.deepEqual(usersOf(receiver.received).slice(3), ["ben"]);
    const [, , first] = await messages();
    const later = { since: begun, state: "delivered" as const, after: first?.id ?? "" };
    assert.deepEqual(await replay(later), { replayed: 2, next: null });
    await house.drain();
    assert.deepEqual(usersOf(receiver.received).slice(4).sort(), ["ben", "cleo"]);
    isDown = true;
    assert.deepEqual(await replay({ messageId: first?.id ?? "" }), { replayed: 1, next: null });
    await house.drain();
    const [, , again] = await messages();
    assert.deepEqual([again?.state, again?.attempts, again?.replayedAt], ["waiting", 2, house.now()]);
    assert.equal((await refusal(replay({ messageId: first?.id ?? "" }))).status, 404);
  });
});

describe("what is forgotten", () => {
  const left = async ({ projectId }: TestProject) => {
    const tables = ["webhooks", "webhook_messages", "webhook_attempts"];
    const counts = tables.map((table) =>
      house.database.pool.query<{ count: number }>(
        `select count(*)::int as count from ${table} where project_id = $1`,
        [projectId],
      ),
    );
    return (await Promise.all(counts)).map(({ rows }) => rows[0]?.count);
  };

  it("is a webhook that was deleted, with all of its messages, also those that were under way", async () => {
    const hanging = Promise.withResolvers<Answered>();
    const { project, receiver, path } = await listened(() => hanging.promise);
    await identify(project, "anna");
    const draining = house.drain();
    await until(() => receiver.received.length === 1, "it is under way");
    await identify(project, "ben");
    await project.api.deleteWebhook({ path });
    assert.equal((await refusal(project.api.getWebhook({ path }))).status, 404);
    await identify(project, "cleo");
    hanging.resolve(OK);
    await draining;
    house.advance(2 * HOUR_MS);
    await house.drain();
    assert.ok(!usersOf(receiver.received).includes("cleo"));
    assert.deepEqual(await left(project), [0, 0, 0]);
  });

  it("is a message that ended 30 days ago, however long ago it happened", async () => {
    const { project, path, messages } = await listened();
    await identify(project, "anna");
    await house.drain();
    house.advance(KEPT_DAYS * DAY_MS - HOUR_MS);
    await house.drain();
    assert.equal((await messages()).length, 1);
    await project.api.replayWebhookMessages({ path, body: { messageId: (await messages())[0]?.id ?? "" } });
    await house.drain();
    house.advance(2 * HOUR_MS);
    await house.drain();
    assert.equal((await messages()).length, 1, "it was sent once more meanwhile");
    house.advance(KEPT_DAYS * DAY_MS);
    await house.drain();
    assert.deepEqual(await left(project), [1, 0, 0]);
  });

  it("is what has waited for 30 days for a webhook that is off, and nothing that waits for one that is on", async () => {
    let isDown = true;
    const { project, receiver, path, messages } = await listened(() => ({ status: isDown ? 500 : 204 }));
    await identify(project, "anna");
    await house.drain();
    // It is about something that happened long ago, and is news all the same.
    await house.database.pool.query(
      "update webhook_messages set happened_at = happened_at - $2 where project_id = $1",
      [project.projectId, 90 * DAY_MS],
    );
    house.advance(SECOND_MS);
    await house.drain();
    assert.equal((await messages()).length, 1);
    await project.api.changeWebhook({ path, body: { state: "off" } });
    house.advance(KEPT_DAYS * DAY_MS - HOUR_MS);
    await house.drain();
    assert.equal((await messages()).length, 1);
    house.advance(2 * HOUR_MS);
    await house.drain();
    assert.deepEqual(await left(project), [1, 0, 0]);
    isDown = false;
    receiver.received.length = 0;
    await project.api.changeWebhook({ path, body: { state: "on" } });
    await identify(project, "anna2");
    await house.drain();
    assert.deepEqual(usersOf(receiver.received), ["anna2"]);
  });
});
