import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pushOf } from "../../../../packages/device/src/index.ts";
import type { PushEnvelope } from "../../src/features/content/push/payload.pure.ts";
import type { TestProject } from "../harness.ts";
import { ACTIONS, BOUGHT, observingStage } from "../observing.ts";
import { inspect, launchPush, MESSAGE, putCredential } from "../push.ts";
import { type Phone, phoneOf } from "./line.ts";

const { house, apns, pushTo } = await observingStage();

type App = ReturnType<Phone["open"]>;
const CAPABILITIES = { actions: ["open", "reply"], channels: [], richImages: false };
let tokens = 0;

/** A phone on which a user agreed to pushes, with the app open. */
async function reachablePhone(
  project: TestProject,
  userId = "ada",
): Promise<{ phone: Phone; app: App; token: string }> {
  const phone = phoneOf(project);
  const app = phone.open();
  const token = `beef${String(tokens++).padStart(12, "0")}`;
  await app.identify(userId);
  await app.setFacts({ permission: "granted", consent: true, capabilities: CAPABILITIES });
  await app.setToken(token);
  await app.active();
  assert.equal((await app.sync())?.hasToken, true);
  return { phone, app, token };
}

async function sendingProject(): Promise<TestProject> {
  const project = await house.project();
  await putCredential(project, apns.credential);
  return project;
}

/** A campaign whose push is on the phone. */
async function pushed(
  project: TestProject,
  token: string,
): Promise<{ campaignId: string; push: PushEnvelope }> {
  const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: BOUGHT } });
  const { id } = await launchPush(project, { goalId: goal.id, message: { ...MESSAGE, actions: ACTIONS } });
  await house.drain();
  return { campaignId: id, push: pushTo(token) };
}

/** What devices reported of a campaign, in the order of the server. */
async function observed(project: TestProject, campaignId: string): Promise<string[]> {
  const { observations } = await inspect(project, campaignId);
  return observations.toSorted((a, b) => a.order - b.order).map(({ command }) => command.kind);
}

const commandsOf = (phone: Phone): number[] =>
  phone.sent
    .filter(({ path }) => path === "/observations")
    .map(({ body }) => (body.commands as { sequence: number }[])[0]?.sequence ?? 0);

const eventsOf = async (project: TestProject, userId: string): Promise<string[]> =>
  (await project.api.listEvents({ query: { externalUserId: userId } })).events.map(({ name }) => name).sort();

describe("a push", () => {
  it("is found in what each provider gives", async () => {
    const project = await sendingProject();
    const { token } = await reachablePhone(project);
    const { push } = await pushed(project, token);
    for (const data of [
      { aps: {}, tidings: push },
      { tidings: JSON.stringify(push) },
      JSON.stringify({ tidings: push }),
    ])
      assert.deepEqual(pushOf(data), push);
    for (const data of [
      null,
      undefined,
      1,
      "",
      "{",
      [],
      { tidings: "x" },
      { tidings: null },
      { tidings: { version: 2 } },
      { tidings: { ...push, content: null } },
      { tidings: { ...push, content: { ...push.content, title: undefined } } },
      { tidings: { ...push, content: { ...push.content, actions: {} } } },
      { tidings: { ...push, content: { ...push.content, destination: null } } },
    ])
      assert.equal(pushOf(data), null);
  });

  it("is reported once each, whatever the app repeats and the line loses, and converts", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    const { campaignId, push } = await pushed(project, token);
    phone.weather = 0.7;
    await app.received(push);
    await app.received(push);
    await app.sync();
    app.stop();
    const again = phone.open();
    await again.received(push);
    await again.opened(push);
    await again.acted(push, "open");
    await again.acted(push, "open");
    await again.track(BOUGHT, { cents: 100 });
    for (let turn = 0; turn < 5; turn++) await again.sync();
    phone.weather = 0;
    await phone.calm();
    await again.sync();
    assert.deepEqual(await observed(project, campaignId), ["receipt", "tap", "action"]);
    assert.equal((await inspect(project, campaignId)).users.converted, 1);
    assert.deepEqual(phone.faults, []);
  });

  it("of another device or an earlier user is ignored, and a button that was not sent is left out", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    const { campaignId, push } = await pushed(project, token);
    await app.received({ ...push, installationId: "another" });
    await app.acted(push, "not-there");
    await app.track("later");
    await app.received(push);
    await app.sync();
    assert.deepEqual(await observed(project, campaignId), ["receipt"]);
    assert.deepEqual(await eventsOf(project, "ada"), ["later"]);
    assert.deepEqual(phone.faults, ["commands[0].actionId is not among the actions of that push"]);
    await app.identify("ben");
    await app.sync();
    await app.opened(push);
    await app.sync();
    assert.deepEqual(await observed(project, campaignId), ["receipt"]);
  });

  it("of the earlier user is reported before the next one is bound", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    const { campaignId, push } = await pushed(project, token);
    phone.weather = 1;
    await app.track("as-ada");
    await app.identify("ben");
    await app.track("as-ben");
    await app.received(push);
    await app.identify("cleo");
    await app.sync();
    phone.weather = 0;
    await phone.calm();
    const installation = await app.sync();
    assert.deepEqual([installation?.userId, installation?.consent], ["cleo", false]);
    assert.deepEqual(await observed(project, campaignId), ["receipt"]);
    assert.deepEqual(
      [await eventsOf(project, "ada"), await eventsOf(project, "ben")],
      [["as-ada"], ["as-ben"]],
    );
  });
});

describe("what was lost", () => {
  it("the storage: numbers go on where the server is, and nothing is lost", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    for (const event of ["one", "two", "three"]) await app.track(event);
    await app.sync();
    app.stop();
    phone.kept.clear();
    const again = phone.open();
    await again.track("four");
    await again.track("five");
    const installation = await again.sync();
    assert.equal(installation?.userId, "ada");
    assert.deepEqual(await eventsOf(project, "ada"), ["five", "four", "one", "three", "two"]);
    assert.deepEqual(commandsOf(phone).slice(-3), [1, 2 ** 52, 4]);
    assert.deepEqual(phone.faults, []);
  });

  it("a part of the storage: what the server has is not reported again", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    phone.weather = 1;
    await app.track("one");
    await app.track("two");
    const old = phone.kept.get("tidings.device") ?? "";
    phone.weather = 0;
    await phone.calm();
    await app.track("three");
    await app.sync();
    app.stop();
    // A device that went back to what it had stored earlier, and went on from there.
    const state = JSON.parse(old) as { commands: unknown[] };
    phone.kept.set("tidings.device", JSON.stringify({ ...state, commands: state.commands.slice(1) }));
    const again = phone.open();
    await again.track("four");
    await again.sync();
    assert.deepEqual(await eventsOf(project, "ada"), ["four", "one", "three", "two"]);
    assert.deepEqual(phone.faults, []);
  });

  it("is damaged, or copied from another device: it begins anew", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    app.stop();
    const copy = phone.kept.get("tidings.device") ?? "";
    phone.kept.set("tidings.device", copy.slice(0, 40));
    const again = phone.open();
    await again.track("after");
    assert.equal((await again.sync())?.userId, "ada");
    again.stop();
    // Another phone gets a backup, without the secrets: the token stays with the first one.
    const other = phoneOf(project);
    other.kept.set("tidings.device", copy);
    other.secrets.set("tidings.secret", "{");
    const restored = other.open();
    await restored.identify("ada");
    const installation = await restored.sync();
    assert.equal(installation?.hasToken, false);
    const { installations } = await project.api.listInstallations({ query: { userId: "ada" } });
    assert.deepEqual(installations.map(({ hasToken }) => hasToken).sort(), [false, true]);
    assert.ok(token);
  });

  it("the installation, with its user: it registers again, and everything anew", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    const before = await app.sync();
    const { push } = await pushed(project, token);
    await app.track("before");
    await app.sync();
    const { users } = await project.api.listUsers({});
    await project.api.eraseUser({ path: { id: users[0]?.id ?? "" } });
    await house.drain();
    await app.received(push);
    await app.track("after");
    const after = await app.sync();
    assert.equal(after?.id, before?.id);
    assert.deepEqual(
      [after?.userId, after?.consent, after?.hasToken, after?.permission],
      ["ada", true, true, "granted"],
    );
    assert.deepEqual(await eventsOf(project, "ada"), ["after"]);
    assert.deepEqual(phone.faults, []);
  });

  it("the token, to another device: given again it is put again", async () => {
    const project = await sendingProject();
    const one = await reachablePhone(project);
    const other = await reachablePhone(project, "ben");
    await other.app.setToken(one.token);
    await other.app.sync();
    await one.app.active();
    assert.equal((await one.app.sync())?.hasToken, false);
    await one.app.setToken(one.token);
    assert.equal((await one.app.sync())?.hasToken, true);
    const count = one.phone.sent.length;
    await one.app.setToken(one.token);
    await one.app.sync();
    assert.equal(one.phone.sent.length, count);
  });
});

describe("what is refused for good", () => {
  it("is said once, and keeps nothing else", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    await app.track("x".repeat(81));
    await app.track("large", { text: "x".repeat(5_000) });
    await app.track("fine");
    await app.sync();
    assert.deepEqual(await eventsOf(project, "ada"), ["fine"]);
    assert.equal(phone.faults.length, 2);
    const [ofTheServer, ofTheDevice] = phone.faults.toSorted();
    assert.match(ofTheServer ?? "", /^commands\[0\]\.event/);
    assert.equal(ofTheDevice, "props must be at most 4096 bytes as JSON");
    await app.identify("u".repeat(300));
    await app.track("theirs");
    for (let turn = 0; turn < 3; turn++) await app.sync();
    assert.equal(phone.faults.length, 3);
    await app.identify("ben");
    await app.track("his");
    assert.equal((await app.sync())?.userId, "ben");
    assert.deepEqual(await eventsOf(project, "ben"), ["his"]);
  });

  it("a key: nothing is lost until it is right", async () => {
    const project = await sendingProject();
    const phone = phoneOf(project);
    const wrong = phone.open({ key: "pk_pub_wrong" });
    await wrong.identify("ada");
    await wrong.track("kept");
    assert.equal(await wrong.sync(), null);
    const count = phone.sent.length;
    await wrong.track("kept-too");
    await wrong.sync();
    assert.deepEqual([phone.faults.length, phone.sent.length - count <= 1], [1, true]);
    wrong.stop();
    await phone.open().sync();
    assert.deepEqual(await eventsOf(project, "ada"), ["kept", "kept-too"]);
  });

  it("a user without proof: it is bound once the proof is given", async () => {
    const project = await sendingProject();
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const phone = phoneOf(project);
    const app = phone.open();
    await app.identify("ada");
    await app.track("waits");
    await app.sync();
    assert.match(phone.faults[0] ?? "", /userHash/);
    await app.identify("ben");
    await app.sync();
    assert.deepEqual(await eventsOf(project, "ada"), []);
  });

  it("a next user without proof: the one before is theirs no longer", async () => {
    const project = await sendingProject();
    await project.api.identify({ body: { userId: "ben", traits: { plan: "pro" } } });
    const { phone, app } = await reachablePhone(project);
    await app.track("as-ada");
    await app.identify("ben");
    await app.track("as-ben");
    const installation = await app.sync();
    assert.deepEqual([installation?.userId, installation?.consent], [null, false]);
    assert.equal(phone.faults.length, 1);
    assert.match(phone.faults[0] ?? "", /userHash/);
    assert.deepEqual(await eventsOf(project, "ada"), ["as-ada"]);
    // Ada comes back, and so do her pushes once she agrees.
    await app.identify("ada");
    await app.setFacts({ consent: true });
    const again = await app.sync();
    assert.deepEqual([again?.userId, again?.consent, again?.hasToken], ["ada", true, true]);
  });

  for (const [status, error] of [
    [403, "Not from here"],
    [410, "Gone"],
  ] as const)
    it(`reports as a whole, with ${status}: they are kept, and not sent again by themselves`, async () => {
      const project = await sendingProject();
      const { phone, app } = await reachablePhone(project);
      app.stop();
      let count = 0;
      const refusing = phone.open({
        async fetch(url, init) {
          if (url.endsWith("/observations")) count++;
          return url.endsWith("/observations") ? Response.json({ error }, { status }) : fetch(url, init);
        },
      });
      await refusing.sync();
      for (const event of ["one", "two"]) await refusing.track(event);
      count = 0;
      await refusing.sync();
      // Once by itself, and once by the call.
      assert.ok(count <= 2, `${count}`);
      assert.deepEqual(phone.faults, [error]);
      refusing.stop();
      await phone.open().sync();
      assert.deepEqual(await eventsOf(project, "ada"), ["one", "two"]);
    });

  it("facts that the server keeps otherwise: they are put once, and the rest goes on", async () => {
    const project = await sendingProject();
    const phone = phoneOf(project);
    let count = 0;
    const app = phone.open({
      async fetch(url, init) {
        const answer = await fetch(url, init);
        const body = (await answer.json()) as { installation?: { capabilities: object } };
        if (url.endsWith("/facts")) count++;
        if (body.installation) Object.assign(body.installation.capabilities, { later: true });
        return Response.json(body, { status: answer.status });
      },
    });
    await app.identify("ada");
    await app.setFacts({ permission: "granted", consent: true, capabilities: CAPABILITIES });
    await app.setToken(`beef${String(tokens++).padStart(12, "0")}`);
    assert.equal((await app.sync())?.hasToken, true);
    assert.ok(count <= 3, `${count}`);
  });

  it("an event that no server takes: it pushes out none that wait", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    phone.weather = 1;
    for (let each = 0; each < 20; each++) await app.track(`event-${each}`);
    const text = "x".repeat(50_000);
    for (let each = 0; each < 11; each++) await app.track("huge", { text });
    await app.track(text.repeat(11));
    await app.track("fits", { text: "é".repeat((4_096 - '{"text":""}'.length) >> 1) });
    phone.weather = 0;
    await phone.calm();
    await app.sync();
    const events = await eventsOf(project, "ada");
    assert.deepEqual([events.length, events.at(-1)], [21, "fits"]);
    assert.deepEqual(phone.faults, ["props must be at most 4096 bytes as JSON"]);
  });

  it("an installation that was made for another environment: it registers as a new one", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    const before = await app.sync();
    app.stop();
    phone.kept.clear();
    const store = phone.open({ environment: "development" });
    await store.identify("ada");
    await store.setFacts({ permission: "granted", consent: true });
    await store.track("in-development");
    const after = await store.sync();
    assert.notEqual(after?.id, before?.id);
    assert.deepEqual([after?.environment, after?.userId, after?.consent], ["development", "ada", true]);
    assert.deepEqual(await eventsOf(project, "ada"), ["in-development"]);
  });
});

describe("much that waits", () => {
  it("is sent in pieces that the server takes", async () => {
    const project = await sendingProject();
    const { phone, app } = await reachablePhone(project);
    phone.weather = 1;
    for (let each = 0; each < 70; each++) await app.track("large", { each, text: "é".repeat(2_000) });
    phone.weather = 0;
    await phone.calm();
    await app.sync();
    const { total } = await project.api.listEvents({ query: { externalUserId: "ada" } });
    assert.equal(total, 70);
    assert.deepEqual(phone.faults, []);
  });

  it("has an end: the oldest events go, and what became of pushes stays", async () => {
    const project = await sendingProject();
    const { phone, app, token } = await reachablePhone(project);
    const { campaignId, push } = await pushed(project, token);
    phone.weather = 1;
    await app.received(push);
    for (let each = 0; each < 1_010; each++) await app.track(`event-${each}`);
    phone.weather = 0;
    await phone.calm();
    await app.sync();
    assert.deepEqual(await observed(project, campaignId), ["receipt"]);
    const { total } = await project.api.listEvents({ query: { externalUserId: "ada" } });
    assert.ok(total >= 999 && total <= 1_000, `${total}`);
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});
