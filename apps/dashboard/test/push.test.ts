import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filterIn, isFiltered, NO_FILTER } from "../src/features/push/filter.ts";
import {
  accountIn,
  campaignFault,
  contactOf,
  credentialOf,
  describePushReason,
  describeSlotState,
  describeStep,
  deviceFault,
  type Installation,
  keptBack,
  outcomeSentence,
  type PushCampaignStanding,
  type Slot,
  type StoryStep,
  type Way,
  waitsForCredential,
  wayFault,
} from "../src/features/push/rules.ts";
import { pageLines, workerFile } from "../src/features/push/site-files.pure.ts";

const way: Way = {
  appId: "app",
  platform: "ios",
  environment: "production",
  credential: "usable",
  refused: null,
  devices: 9,
  unbound: 1,
  noToken: 2,
  noConsent: 0,
  notPermitted: 3,
  ready: 3,
};

const campaign: PushCampaignStanding = {
  id: "cmp_1",
  name: "News",
  appId: "app",
  status: "running",
  deliverFrom: null,
  deliverUntil: null,
  users: [],
  devices: [],
};

describe("why nothing leaves", () => {
  it("is said of an app by what is missing first", () => {
    assert.equal(wayFault(way), null);
    assert.match(wayFault({ ...way, credential: "none" }) ?? "", /there is no credential/);
    assert.match(wayFault({ ...way, credential: "sealed" }) ?? "", /another SECRET_KEY/);
    assert.match(wayFault({ ...way, devices: 0, ready: 0 }) ?? "", /has registered/);
    assert.match(wayFault({ ...way, ready: 0 }) ?? "", /No device can be sent to/);
    assert.deepEqual(keptBack(way), [
      "1 without a user",
      "2 without a push token",
      "3 whose system or browser forbids pushes",
    ]);
  });

  it("is said of a campaign by its state, its window, its credential", () => {
    const fault = (more: Partial<PushCampaignStanding>, ways = [way]) =>
      campaignFault({ ...campaign, ...more }, ways, 100);
    assert.equal(fault({}), null);
    assert.match(fault({ status: "paused" }) ?? "", /paused/);
    assert.match(fault({ status: "draft" }) ?? "", /draft/);
    assert.match(fault({ deliverFrom: 101 }) ?? "", /not begun/);
    assert.equal(fault({ deliverFrom: 100 }), null);
    assert.match(fault({ deliverUntil: 100 }) ?? "", /over/);
    assert.equal(fault({ deliverUntil: 101 }), null);
    assert.match(fault({ appId: "other" }) ?? "", /no credential for other/);
    assert.match(fault({}, [{ ...way, credential: "sealed" }]) ?? "", /no credential for app/);
  });

  it("is said of a device by the first step that it does not pass", () => {
    const device = { userId: "ada", hasToken: true, consent: true, permission: "granted" } as Installation;
    assert.equal(deviceFault(device), null);
    assert.equal(deviceFault({ ...device, permission: "provisional" }), null);
    assert.equal(deviceFault({ ...device, userId: null, hasToken: false }), "no_installation");
    assert.equal(deviceFault({ ...device, hasToken: false, consent: false }), "no_token");
    assert.equal(deviceFault({ ...device, consent: false }), "no_consent");
    assert.equal(deviceFault({ ...device, permission: "denied" }), "permission");
    assert.equal(describePushReason("of a later server"), "of a later server");
  });
});

describe("the story of a device", () => {
  const step: StoryStep = {
    kind: "chosen",
    at: 1,
    slotId: null,
    campaignId: null,
    campaignName: null,
    isTest: false,
    number: null,
    title: null,
    outcome: null,
    submission: null,
    code: null,
    retryAfterMs: null,
    report: null,
    detail: null,
  };
  it("is told in words", () => {
    const sentence = (more: Partial<StoryStep>) => Object.values(describeStep({ ...step, ...more }));
    assert.deepEqual(sentence({}), ["The device was chosen", null]);
    assert.deepEqual(sentence({ kind: "written", number: 1, title: "Hi" }), ["The push was written", "Hi"]);
    assert.deepEqual(sentence({ kind: "written", number: 2, title: "Hi" }), [
      "The push was written anew",
      "Hi",
    ]);
    assert.deepEqual(sentence({ kind: "attempt", number: 2 }), ["Attempt 2 was made", null]);
    assert.deepEqual(sentence({ kind: "outcome", outcome: "accepted", submission: "confirmed" }), [
      "The provider accepted it",
      null,
    ]);
    assert.deepEqual(
      sentence({ kind: "outcome", outcome: "unknown", submission: "possible", code: "timeout" }),
      ["It left, and no answer came", "The device may have it. Reason: no answer in time."],
    );
    assert.deepEqual(sentence({ kind: "report", report: "action", detail: "reply" }), [
      "The user pressed a button",
      "reply",
    ]);
    assert.equal(
      outcomeSentence("confirmed", { kind: "rejected", code: "TooManyRequests", retryAfterMs: 1_500 }),
      "The provider refused it. Reason: TooManyRequests. It asked to wait 2 s.",
    );
  });

  it("says how a push is now", () => {
    assert.equal(
      describeSlotState({ state: "accepted", reason: null, uncertain: true }),
      "The provider has it",
    );
    assert.equal(
      describeSlotState({ state: "waiting", reason: "retry_backoff", uncertain: true }),
      "Waits: it is tried again later. The device may have it.",
    );
    assert.match(
      describeSlotState({ state: "closed", reason: "uncertain", uncertain: true }),
      /whether it arrived\.$/,
    );
  });
});

describe("a device whose credential is refused for it alone", () => {
  const slot = { state: "waiting", reason: "credential" } as Slot;
  it("can be sent nothing, although there is a credential", () => {
    assert.equal(waitsForCredential({ fault: null, slots: [slot] }), true);
    assert.equal(waitsForCredential({ fault: "no_token", slots: [slot] }), false);
    assert.equal(waitsForCredential({ fault: null, slots: [] }), false);
    assert.equal(waitsForCredential({ fault: null, slots: [{ ...slot, reason: "retry_backoff" }] }), false);
    assert.equal(waitsForCredential({ fault: null, slots: [{ ...slot, state: "closed" }] }), false);
  });
  it("is told of another key in words", () => {
    const sentence = outcomeSentence("none", { kind: "blocked", code: "subscribed_with_another_key" });
    assert.match(sentence, /^It did not leave\. Reason: the browser subscribed with another key/);
  });
});

describe("a reason", () => {
  it("is that of a browser, where one is meant, and else of any device", () => {
    const ofBrowser = "the browser cannot show its buttons or its image";
    assert.ok(describePushReason("capability", "web").startsWith(ofBrowser));
    assert.equal(describePushReason("capability", "ios"), describePushReason("capability"));
    assert.ok(describePushReason("no_token", "web").includes("subscribes anew"));
    assert.equal(describePushReason("no_consent", "web"), describePushReason("no_consent"));
    const slot = { state: "waiting", reason: "credential", uncertain: false } as const;
    assert.match(
      describeSlotState(slot, "web"),
      /^Waits: there is no credential, or the push service of the browser/,
    );
  });
});

describe("what a site needs for its browsers", () => {
  const site = {
    origin: "https://tidings.dev",
    key: "pk_pub_1",
    appId: "shop.example",
    environment: "production",
  } as const;
  it("names the server, the key and the site, and an environment that is not the usual one", () => {
    assert.equal(workerFile(site), 'importScripts("https://tidings.dev/tidings-sw.js");');
    assert.match(pageLines(site), /openWebPush\(\{ key: "pk_pub_1", appId: "shop\.example" \}\);/);
    const tried = pageLines({ ...site, environment: "development" });
    assert.match(tried, /appId: "shop\.example", environment: "development" \}/);
  });
  it("is one script, whatever the site is called", () => {
    const lines = pageLines({ ...site, appId: '"</script><script>' });
    assert.deepEqual(lines.match(/<\/?script/g), ["<script", "</script"]);
  });
});

describe("the list of devices", () => {
  it("asks what its address says, and nothing that cannot be asked", () => {
    assert.deepEqual(filterIn({}), {});
    assert.deepEqual(filterIn(NO_FILTER), {});
    assert.equal(isFiltered(filterIn({ page: "2" })), false);
    assert.deepEqual(
      filterIn({ q: "a", app: "x", platform: "ios", permission: "denied", consent: "true", token: "false" }),
      { q: "a", appId: "x", platform: "ios", permission: "denied", consent: "true", hasToken: "false" },
    );
    assert.deepEqual(filterIn({ platform: "tv", permission: "x", consent: "yes", token: "1" }), {});
    assert.deepEqual(filterIn({ platform: "web" }), { platform: "web" });
  });
});

describe("a credential that is typed", () => {
  const typed = {
    teamId: " T ",
    keyId: "K",
    topic: "app",
    privateKey: "-----BEGIN\n",
    account: "",
    subject: " ada@acme.dev ",
    vapidKey: null,
  };
  it("is that of Apple, or the service account of Google", () => {
    assert.deepEqual(credentialOf("ios", typed), {
      provider: "apns",
      teamId: "T",
      keyId: "K",
      topic: "app",
      privateKey: "-----BEGIN\n",
    });
    for (const missing of ["teamId", "keyId", "topic", "privateKey"])
      assert.equal(credentialOf("ios", { ...typed, [missing]: " " }), null, missing);
    const account = { project_id: "p", client_email: "c", private_key: "k", more: 1 };
    const read = { provider: "fcm", projectId: "p", clientEmail: "c", privateKey: "k" };
    assert.deepEqual(
      credentialOf("android", { ...typed, account: `\ufeff${JSON.stringify(account)}` }),
      read,
    );
    for (const text of ["", "{", "null", "[]", "7", '{"project_id":"p","client_email":"c","private_key":7}'])
      assert.equal(accountIn(text), null, text);
  });

  it("is for browsers a contact address, and a key where one is brought", () => {
    const credential = { provider: "webpush", subject: "mailto:ada@acme.dev" };
    assert.deepEqual(credentialOf("web", typed), credential);
    assert.deepEqual(credentialOf("web", { ...typed, subject: "mailto:ada@acme.dev" }), credential);
    assert.deepEqual(credentialOf("web", { ...typed, subject: "https://acme.dev/@ada" }), {
      ...credential,
      subject: "https://acme.dev/@ada",
    });
    assert.deepEqual(credentialOf("web", { ...typed, vapidKey: " k " }), { ...credential, privateKey: "k" });
    assert.equal(credentialOf("web", { ...typed, subject: " " }), null);
    assert.equal(credentialOf("web", { ...typed, vapidKey: " " }), null);
  });

  it("begins with the address of who is signed in, where push services can write to it", () => {
    assert.equal(contactOf("ada@acme.dev"), "mailto:ada@acme.dev");
    for (const email of ["ada@localhost", "ada@example.com", "ada@shop.EXAMPLE", "ada@10.0.0.1", "ada", ""])
      assert.equal(contactOf(email), "", email);
  });
});
