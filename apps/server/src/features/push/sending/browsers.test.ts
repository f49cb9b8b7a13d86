import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { browser, browserHouse, SUBJECT } from "../../../../test/browsers.ts";
import { inspect, launchPush, PUSH, putCredential, stateOf } from "../../../../test/push.ts";
import { MAX_PAYLOAD_BYTES } from "../../content/push/payload.pure.ts";
import { newVapidKey } from "../providers/public.ts";

const { house, peer, browserProject } = await browserHouse();

const MESSAGE = {
  title: "Hello {{ user.name | default: 'there' }}",
  body: "Back in stock.",
  destination: { kind: "website" as const, url: "https://shop.example.com/beans" },
};
const ALL = { ...PUSH, selection: { kind: "all" as const } };

beforeEach(() => peer.behave(() => null));

const sentTo = ({ endpoint }: { endpoint: string }) =>
  peer.taken.filter((push) => push.endpoint === endpoint);

describe("a push campaign and browsers", () => {
  it("reaches a browser, which alone can read it, and counts what it reports", async () => {
    const project = await browserProject();
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada" } } });
    const device = await browser(project, peer, "ada");
    const { id } = await launchPush(project, {
      message: MESSAGE,
      push: { ...PUSH, replacementKey: "stock" },
    });
    await house.drain();
    const [push, ...others] = sentTo(device.subscription);
    assert.equal(others.length, 0);
    assert.equal(push?.envelope.content.title, "Hello Ada");
    assert.equal(push?.envelope.installationId, device.installationId);
    assert.equal(push?.tag, "stock");
    assert.equal(push?.urgency, "high");
    assert.ok(push !== undefined && push.ttl > 86_000 && push.ttl <= 86_400, String(push?.ttl));
    assert.equal(decodeJwt(push.vapidToken).sub, SUBJECT);
    const { targetId, attemptId } = push.envelope;
    await project.sdk.recordObservations({
      path: device,
      headers: device.headers,
      body: {
        bindingGeneration: 1,
        commands: [
          { id: "1", sequence: 1, kind: "receipt", targetId, attemptId },
          { id: "2", sequence: 2, kind: "tap", targetId, attemptId },
        ],
      },
    });
    const { users, devices } = await inspect(project, id);
    assert.deepEqual(users, { targeted: 1, accepted: 1, engaged: 1, converted: 0 });
    assert.equal(devices.receiptObserved, 1);
  });

  it("signs once for each push service, and again after eleven hours", async () => {
    const project = await browserProject();
    const at = [peer.url, peer.url, peer.otherUrl];
    for (const [index, url] of at.entries()) await browser(project, peer, `user-${index}`, url);
    const before = peer.taken.length;
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    const first = peer.taken.slice(before);
    assert.equal(first.length, 3);
    assert.equal(new Set(first.map(({ vapidToken }) => vapidToken)).size, 2);
    for (const { audience, vapidToken } of first) assert.equal(decodeJwt(vapidToken).aud, audience);
    house.advance(11 * 3_600_000);
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    const later = new Set(peer.taken.slice(before + 3).map(({ vapidToken }) => vapidToken));
    assert.equal(later.size, 2);
    for (const { vapidToken } of first) assert.ok(!later.has(vapidToken));
  });

  it("tells phones and browsers apart: a place in an app is none that a browser opens", async () => {
    const project = await browserProject();
    await browser(project, peer, "ada");
    const destination = { kind: "app" as const, url: "example://news" };
    const { id } = await launchPush(project, { message: { ...MESSAGE, destination } });
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "recipients"), ["waiting", "capability"]);
    const census = await project.api.takeCampaignCensus({ path: { id } });
    assert.ok(JSON.stringify(census).includes("capability"));
  });

  it("sends what fits, to the last byte, and says of more that it is too large", async () => {
    const project = await browserProject();
    const device = await browser(project, peer, "ada");
    const sizeOf = (body: string) => Buffer.byteLength(JSON.stringify(body)) - 2;
    const fill = async (length: number) => {
      const data = { a: "x".repeat(1_000), b: "x".repeat(1_000) };
      const { id } = await launchPush(project, {
        message: { ...MESSAGE, title: "T", body: "x".repeat(length), data },
      });
      await house.drain();
      return id;
    };
    await fill(1);
    const [small] = sentTo(device.subscription).slice(-1);
    const room = MAX_PAYLOAD_BYTES.web - Buffer.byteLength(small?.text ?? "") + sizeOf("x");
    const fits = await fill(room);
    assert.deepEqual(await stateOf(project, fits, "slots"), ["accepted", null]);
    assert.equal(Buffer.byteLength(sentTo(device.subscription).at(-1)?.text ?? ""), MAX_PAYLOAD_BYTES.web);
    const large = await fill(room + 1);
    assert.deepEqual(await stateOf(project, large, "slots"), ["waiting", "campaign_not_ready"]);
  });
});

describe("what a push service of browsers refuses", () => {
  it("ends the token of a browser that is gone, and of no other", async () => {
    const project = await browserProject();
    const [gone, there] = [await browser(project, peer, "gone"), await browser(project, peer, "there")];
    peer.end(gone.subscription);
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    assert.equal((await gone.read()).hasToken, false);
    assert.equal((await there.read()).hasToken, true);
    assert.equal(sentTo(there.subscription).length, 1);
  });

  it("that one service refuses the sender keeps nothing from the browsers of others", async () => {
    const project = await browserProject();
    peer.behave(({ audience }) =>
      audience === peer.otherUrl ? { status: 403, body: '{"reason":"BadJwtToken"}' } : null,
    );
    const refused: string[] = [];
    for (let index = 0; index < 25; index++)
      refused.push((await browser(project, peer, `apple-${index}`, peer.otherUrl)).subscription.endpoint);
    const taken = [];
    for (let index = 0; index < 3; index++) taken.push(await browser(project, peer, `chrome-${index}`));
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    // Refused so often before the first acceptance, the credential is asked again by ten at a time.
    for (let round = 0; round < 12; round++) {
      house.advance(3_600_000);
      await house.drain();
    }
    for (const { subscription } of taken) assert.equal(sentTo(subscription).length, 1);
    const { outcomes } = await inspect(project, id);
    assert.ok(outcomes.some(({ result }) => "code" in result && result.code === "BadJwtToken"));
    const { rows } = await house.database.pool.query(
      "select refused_at, is_barred from push_credentials where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ refused_at: null, is_barred: false }]);
  });

  it("a browser that subscribed with an earlier key waits, and is reached when it subscribes again", async () => {
    const project = await browserProject();
    const devices = [];
    for (let index = 0; index < 22; index++) devices.push(await browser(project, peer, `user-${index}`));
    const before = peer.requests.length;
    await putCredential(project, { provider: "webpush", subject: SUBJECT, privateKey: newVapidKey() }, {}, 1);
    const { applicationServerKey } = await project.sdk.getPushKey({ query: { appId: PUSH.appId } });
    assert.notEqual(applicationServerKey, project.applicationServerKey);
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    // They are known to be of another key: no push service is bothered, and the new credential is not suspected.
    assert.equal(peer.requests.length, before);
    const { slots, devices: totals } = await inspect(project, id);
    assert.ok(slots.every(({ state }) => state.kind === "waiting" && state.reason === "no_token"));
    assert.equal(totals.confirmedSubmissions + totals.possibleSubmissions, 0);
    const [one] = devices;
    const subscription = peer.subscribe(applicationServerKey);
    await one?.put(JSON.stringify(subscription));
    house.advance(30_000);
    await house.drain();
    assert.equal(sentTo(subscription).length, 1);
  });

  it("keeps the key where only the contact is replaced", async () => {
    const project = await browserProject();
    const device = await browser(project, peer, "ada");
    await putCredential(project, { provider: "webpush", subject: "https://tidings.dev/contact" }, {}, 1);
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    const [push] = sentTo(device.subscription);
    assert.equal(decodeJwt(push?.vapidToken ?? "").sub, "https://tidings.dev/contact");
  });

  it("waits as long as a service asks, and no other service's browsers with it", async () => {
    const project = await browserProject();
    const [slow, fast] = [
      await browser(project, peer, "slow", peer.otherUrl),
      await browser(project, peer, "fast"),
    ];
    // Windows says 406 for too many requests.
    peer.behave(({ audience }) =>
      audience === peer.otherUrl ? { status: 406, headers: { "retry-after": "900" } } : null,
    );
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    assert.equal(sentTo(fast.subscription).length, 1);
    peer.behave(() => null);
    const late = await browser(project, peer, "late");
    house.advance(60_000);
    await house.drain();
    assert.equal(sentTo(late.subscription).length, 1);
    assert.equal(sentTo(slow.subscription).length, 0);
    house.advance(900_000);
    await house.drain();
    assert.equal(sentTo(slow.subscription).length, 1);
  });

  it("that one refuses now and takes later is sent then, and asked once an hour until it does", async () => {
    const project = await browserProject();
    const [known, device] = [await browser(project, peer, "known"), await browser(project, peer, "ada")];
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    assert.equal(sentTo(known.subscription).length, 1);
    peer.behave(() => ({ status: 401, body: "busy" }));
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    for (let minute = 0; minute < 30; minute += 10) {
      house.advance(600_000);
      await house.drain();
    }
    assert.equal((await inspect(project, id)).devices.attempts, 2);
    peer.behave(() => null);
    house.advance(3_600_000);
    await house.drain();
    assert.equal(sentTo(device.subscription).length, 2);
    assert.equal((await inspect(project, id)).devices.confirmedSubmissions, 2);
  });

  it("at a host that is not allowed any more is not sent to, and keeps nothing from others", async () => {
    const project = await browserProject();
    const [away, there] = [
      await browser(project, peer, "away", peer.otherUrl),
      await browser(project, peer, "there"),
    ];
    const { config } = house.tidings.app;
    config.webpushHosts = peer.hosts.slice(0, 1);
    try {
      for (let round = 0; round < 3; round++) await launchPush(project, { message: MESSAGE });
      await house.drain();
      assert.equal(sentTo(there.subscription).length, 3);
      assert.equal(sentTo(away.subscription).length, 0);
    } finally {
      config.webpushHosts = peer.hosts;
    }
  });

  it("is not asked without end where its token has to stay", async () => {
    const project = await browserProject();
    await browser(project, peer, "ada");
    await launchPush(project, { message: MESSAGE });
    await house.drain();
    // An acceptance that lies ahead keeps the token.
    house.advance(-3_600_000);
    await putCredential(project, { provider: "webpush", subject: SUBJECT, privateKey: newVapidKey() }, {}, 1);
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    assert.equal((await inspect(project, id)).devices.attempts, 1);
    house.advance(3_600_000);
  });

  it("says nothing of the address of a browser", async () => {
    const project = await browserProject();
    const { subscription } = await browser(project, peer, "ada");
    const { pathname } = new URL(subscription.endpoint);
    peer.behave(() => ({ status: 400, body: `Cannot POST ${pathname}` }));
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    const { outcomes } = await inspect(project, id);
    assert.deepEqual(
      outcomes.map(({ result }) => "code" in result && result.code),
      ["400"],
    );
  });

  it("that it says of one browser keeps nothing from the others, and of three it does", async () => {
    const project = await browserProject();
    const answers = [410, 400, 403, 429].map((status) => ({ status, headers: { "retry-after": "86400" } }));
    for (const [index, answer] of answers.entries()) {
      const [one, other] = [
        await browser(project, peer, `one-${index}`),
        await browser(project, peer, `other-${index}`),
      ];
      peer.behave(({ endpoint }) => (endpoint === one.subscription.endpoint ? answer : null));
      await launchPush(project, { message: MESSAGE });
      await house.drain();
      const late = await browser(project, peer, `late-${index}`);
      house.advance(60_000);
      await house.drain();
      for (const { subscription } of [other, late])
        assert.ok(sentTo(subscription).length > 0, String(answer.status));
    }
    const busy = await browserProject();
    for (let index = 0; index < 3; index++) await browser(busy, peer, `busy-${index}`);
    peer.behave(() => ({ status: 429, headers: { "retry-after": "240" } }));
    await launchPush(busy, { message: MESSAGE });
    await house.drain();
    peer.behave(() => null);
    const spared = await browser(busy, peer, "spared");
    house.advance(120_000);
    await house.drain();
    assert.equal(sentTo(spared.subscription).length, 0);
    house.advance(180_000);
    await house.drain();
    assert.equal(sentTo(spared.subscription).length, 1);
  });

  it("counts what may have arrived as possible, and what never left as nothing", async () => {
    const project = await browserProject();
    await browser(project, peer, "ada");
    peer.behave(() => "drop");
    const { id } = await launchPush(project, { message: MESSAGE });
    await house.drain();
    assert.equal((await inspect(project, id)).devices.possibleSubmissions, 1);
    const nowhere = await browserProject();
    const device = await browser(nowhere, peer, "ben");
    await device.put(JSON.stringify({ ...device.subscription, endpoint: "https://localhost:1/push" })).then(
      () => assert.fail("That host is not allowed."),
      (error: Error) => assert.match(error.message, /WEBPUSH_HOSTS/),
    );
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("pushes under many credentials", () => {
  it("test pushes leave for browsers too", async () => {
    const project = await browserProject();
    const device = await browser(project, peer, "ada");
    const { campaign } = await project.api.createCampaign({
      body: { name: "Draft", channel: "push", push: ALL, message: MESSAGE },
    });
    await project.api.sendPushTest({
      path: { id: campaign.id },
      body: { installationId: device.installationId, requestId: "first-look" },
    });
    await house.drain();
    assert.equal(sentTo(device.subscription)[0]?.envelope.test, true);
  });
});
