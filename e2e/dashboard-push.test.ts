import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { install } from "../apps/server/test/devices.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type ApnsPeer, apnsRefuses, startApns } from "../apps/server/test/peers/apns.ts";
import { APP, inspect, launchPush, PUSH, putCredential, reachable } from "../apps/server/test/push.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  dashboardUrl,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const apns: ApnsPeer = await startApns({ clock: () => house.now() });
const { house, page: newPage } = testStage({ apnsUrl: apns.url });
after(() => apns.close());

const NOTHING_LEFT = 5;
const SITE = "shop.acme.dev";

/** Waits until a field says what is wrong with it. */
async function faultOf(field: Locator, fault: RegExp): Promise<void> {
  await field.and(field.page().locator("[aria-invalid=true]")).waitFor();
  const ids = ((await field.getAttribute("aria-describedby")) ?? "").split(" ");
  await field
    .page()
    .locator(ids.map((id) => `[id="${id}"]`).join(", "))
    .filter({ hasText: fault })
    .waitFor();
}

/** Ada's phone was sent a push at the second attempt, received it and had it opened; Grace's phone has no token. */
async function sentToAda(project: TestProject): Promise<string> {
  await putCredential(project, apns.credential);
  const phone = await reachable(project, "ada", { installationId: "phone-of-ada" });
  await reachable(project, "grace", { installationId: "phone-of-grace", token: null });
  let refusals = 0;
  apns.behave(() => (refusals++ === 0 ? apnsRefuses(503, "ServiceUnavailable") : null));
  const { id } = await launchPush(project, { name: "News of the week" });
  await house.drain();
  house.advance(60_000);
  await house.drain();
  const [attempt] = (await inspect(project, id)).attempts.slice(-1);
  assert.ok(attempt);
  const named = { targetId: attempt.targetId, attemptId: attempt.id };
  await project.sdk.recordObservations({
    path: { installationId: phone.installationId },
    headers: phone.headers,
    body: {
      bindingGeneration: 1,
      commands: [
        { id: "c-1", sequence: 1, kind: "receipt", ...named },
        { id: "c-2", sequence: 2, kind: "tap", ...named },
      ],
    },
  });
  return id;
}

const story = async (page: Page): Promise<string[]> => {
  const rows = page.getByRole("table").filter({ hasText: "What" }).last().getByRole("row");
  await rows.nth(NOTHING_LEFT).waitFor();
  return (await rows.allTextContents()).slice(1);
};

describe("push", () => {
  it("says why nothing leaves, until an owner has put the credential, by keyboard alone", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    await reachable(project, "ada", { installationId: "phone-of-ada" });
    await page.goto(pageOf(house, project, "push"));
    await title(page, "Push");
    await page.getByText("Nothing leaves: there is no credential.").waitFor();
    await page.getByRole("tab", { name: "Credentials" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("There is no credential yet.").waitFor();
    await page.getByRole("button", { name: "Put a credential" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Put a credential" });
    await hasFocus(dialog.getByLabel("App *", { exact: true }));
    keepSecrets(apns.credential.privateKey);
    const type = async (label: string, text: string) => {
      await dialog.getByLabel(label, { exact: true }).focus();
      await page.keyboard.insertText(text);
    };
    await type("App *", APP);
    await type("Team ID *", apns.credential.teamId);
    await type("Key ID *", apns.credential.keyId);
    await type("Key *", "-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog.getByText("must be an EC P-256 private key, as PEM (PKCS#8): the .p8 file").waitFor();
    await dialog.getByLabel("Key *", { exact: true }).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(apns.credential.privateKey);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("The key can sign, and is kept.").waitFor();
    await page.getByRole("row", { name: new RegExp(`${APP}.*iOS, production.*There.*1`) }).waitFor();
    assert.equal((await page.content()).includes(apns.credential.privateKey.slice(40, 80)), false);
    await page.getByRole("tab", { name: "Do pushes leave?" }).click();
    await page.getByText("Pushes leave", { exact: true }).waitFor();
  });

  it("tells the whole story of a device, found by its user, and what waits in the campaign", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    const id = await sentToAda(project);
    await page.goto(pageOf(house, project, "push?view=devices"));
    await page.getByRole("link", { name: "phone-of-grace" }).waitFor();
    await page.getByLabel("Search by user or device").fill("ADA");
    await page.getByRole("link", { name: "phone-of-grace" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "phone-of-ada" }).click();
    await title(page, "phone-of-ada");
    await page.getByRole("link", { name: "All devices" }).click();
    await page.getByRole("link", { name: "phone-of-ada" }).click();
    await page.getByText("This device can be sent to").waitFor();
    await page.getByRole("row", { name: /News of the week.*The provider has it.*2 of 3/ }).waitFor();
    const steps = await story(page);
    assert.deepEqual(
      steps.map(
        (text) =>
          /(The user opened|The device received|The provider \w+|Attempt \d|The push was written|The device was chosen)/.exec(
            text,
          )?.[0],
      ),
      [
        "The user opened",
        "The device received",
        "The provider accepted",
        "Attempt 2",
        "The provider refused",
        "Attempt 1",
        "The push was written",
        "The device was chosen",
      ],
    );
    assert.match(steps[4] ?? "", /ServiceUnavailable/);
    await page.getByRole("link", { name: "News of the week" }).first().click();
    await title(page, "News of the week");
    await page.getByText("1 user waits: no device has a push token.").waitFor();
    await page.getByRole("tab", { name: "Outcomes" }).click();
    await page.getByRole("row", { name: /The provider refused it. Reason: ServiceUnavailable/ }).waitFor();
    await page.getByRole("link", { name: "The campaign" }).click();
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page.getByRole("link", { name: /^Every push/ }).click();
    await title(page, "News of the week");
    await page.goto(pageOf(house, project, "push/devices/phone-of-grace"));
    await page.getByText("It has no push token.").waitFor();
    await page.getByRole("link", { name: "News of the week" }).waitFor();
    assert.equal(new URL(page.url()).pathname.includes(id), false);
    await page.goto(pageOf(house, project, "push/devices/none"));
    await page.getByText("Installation not found").waitFor();
    assert.deepEqual(complaints, []);
  });
});

/** A browser of a user who agreed, which subscribed with a key of its own at a push service. */
async function browserOf(project: TestProject, userId: string): Promise<string> {
  const point = (): string => createECDH("prime256v1").generateKeys("base64url");
  const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/of-this-browser";
  const keys = { p256dh: point(), auth: randomBytes(16).toString("base64url") };
  const installationId = `browser-of-${userId}`;
  const device = await install(project, { installationId, appId: SITE, platform: "web" });
  await device.bind(userId);
  await device.say();
  await device.put(JSON.stringify({ endpoint, keys, applicationServerKey: point() }));
  return installationId;
}

const WEB = { appId: SITE, platform: "web", environment: "production" } as const;
const CONTACT = { provider: "webpush", subject: "mailto:push@tidings.dev" } as const;

describe("push to browsers", () => {
  it("needs a contact address alone, whose faults stand at its field, and a key that stays", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    const keys = async () =>
      (await project.api.listPushCredentials()).credentials.map((each) => each.applicationServerKey);
    await page.goto(pageOf(house, project, "push?view=credentials"));
    await page.getByRole("button", { name: "Put a credential", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Put a credential", exact: true });
    await hasFocus(dialog.getByLabel("App *", { exact: true }));
    await dialog.getByLabel("App *", { exact: true }).fill(SITE);
    await dialog.getByRole("combobox", { name: "Platform", exact: true }).click();
    await page.getByRole("option", { name: "Web", exact: true }).click();
    const subject = dialog.getByLabel("Contact address *", { exact: true });
    // The person's own address is one that only tests have.
    assert.equal(await subject.inputValue(), "");
    await subject.fill("mailto:me@localhost");
    const keep = dialog.getByRole("button", { name: "Check and keep", exact: true });
    await keep.click();
    await faultOf(
      subject,
      /^must be mailto: and a mailbox, or an https:\/\/ address, at a domain that is yours/,
    );
    assert.equal(await dialog.getByRole("alert").count(), 0);
    await subject.fill("push@tidings.dev");
    await dialog.getByLabel("Bring a key of my own", { exact: true }).check();
    const key = dialog.getByLabel("Private key *", { exact: true });
    await key.fill("A key");
    await keep.click();
    await faultOf(key, /^must be /);
    await key.fill("A".repeat(43));
    await keep.click();
    await faultOf(key, /^must be a private key of P-256, as 32 bytes in base64url$/);
    assert.deepEqual(await keys(), []);
    await dialog.getByLabel("Bring a key of my own", { exact: true }).uncheck();
    await keep.click();
    await page
      .getByText("The credential is kept. What your site needs stands below.", { exact: true })
      .waitFor();
    await page.getByRole("row", { name: /shop\.acme\.dev Web, production There 1/ }).waitFor();
    const [made] = await keys();
    assert.ok(made);
    const shown = page.getByRole("group", { name: "Public key", exact: true });
    await shown.getByText(made, { exact: true }).waitFor();
    const { applicationServerKey } = await project.sdk.getPushKey({ query: { appId: SITE } });
    assert.equal(applicationServerKey, made);
    await page.getByText(`importScripts("${dashboardUrl(house)}/tidings-sw.js");`, { exact: true }).waitFor();
    await page.getByText(project.publishableKey, { exact: false }).waitFor();

    await page.getByRole("button", { name: `Replace that of ${SITE}, Web, production`, exact: true }).click();
    const replacing = page.getByRole("dialog", { name: "Replace a credential", exact: true });
    await replacing.getByText("The key stays as it is", { exact: false }).waitFor();
    await replacing.getByLabel("Contact address *", { exact: true }).fill("https://tidings.dev/contact");
    await replacing.getByRole("button", { name: "Check and keep", exact: true }).click();
    await page.getByRole("row", { name: /shop\.acme\.dev Web, production There 2/ }).waitFor();
    assert.deepEqual(await keys(), [made]);
    await shown.getByText(made, { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("tells of a browser why it gets nothing, and shows no address of a push service", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await project.api.putPushCredential({ body: { ...WEB, expectedRevision: 0, credential: CONTACT } });
    await putCredential(project, apns.credential);
    await reachable(project, "ada", { installationId: "phone-of-ada" });
    const browser = await browserOf(project, "ada");
    const push = { ...PUSH, appId: SITE };
    const message = {
      title: "News",
      body: "Read",
      destination: { kind: "website" as const, url: "https://tidings.dev/" },
    };
    await launchPush(project, { name: "For all", push, message });
    await launchPush(project, { name: "For apps", push });
    await house.drain();
    await page.goto(pageOf(house, project, "push"));
    const row = page.getByRole("row", { name: /For apps/ });
    await row.getByText("A browser opens no place in an app.", { exact: false }).waitFor();
    await page.getByRole("tab", { name: "Devices", exact: true }).click();
    await page.getByRole("link", { name: "phone-of-ada", exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Platform", exact: true }).click();
    await page.getByRole("option", { name: "Web", exact: true }).click();
    await page.getByRole("link", { name: "phone-of-ada", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: browser, exact: true }).click();
    await title(page, browser);
    await page.getByText("Nothing can be sent to this device", { exact: true }).waitFor();
    await page.getByText(`${SITE}, Web, production`, { exact: true }).waitFor();
    await page.getByText("Reason: the browser subscribed with another key", { exact: false }).waitFor();
    assert.equal((await page.content()).includes("mozilla"), false);
    assert.deepEqual(complaints, []);
  });
});

describe("the pages of push", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    const look = (path: string, ready: string) =>
      assertPageFaultless(page, pageOf(house, project, path), ready);
    await look("push", "There is no device and no credential yet.");
    await look("push?view=credentials", "There is no credential yet.");
    const id = await sentToAda(project);
    const long = "x".repeat(128);
    await (await install(project, { installationId: long, appId: `com.${long}` })).bind(long);
    await launchPush(project, { name: "y".repeat(80), push: { ...PUSH, appId: `com.${long}` } }).catch(
      () => undefined,
    );
    await look("push", "News of the week");
    await look("push?view=devices", "phone-of-ada");
    await look("push?view=devices&q=nothing", "No device is like that.");
    await look("push?view=credentials", APP);
    await project.api.putPushCredential({ body: { ...WEB, expectedRevision: 0, credential: CONTACT } });
    await look("push?view=credentials", "Public key");
    await page.getByRole("button", { name: "Put a credential" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the form of a credential");
    await page.getByRole("combobox", { name: "Platform", exact: true }).click();
    await page.getByRole("option", { name: "Web", exact: true }).click();
    await page.getByLabel("Bring a key of my own", { exact: true }).check();
    await assertFaultlessEverywhere(page, "the form of a credential for browsers");
    await look("push/devices/phone-of-ada", "The user opened it");
    await look(`push/devices/${long}`, "Nothing has happened yet.");
    for (const view of ["", "?view=slots", "?view=targets", "?view=attempts", "?view=outcomes"])
      await look(`push/campaigns/${id}${view}`, "1 user waits");
    assert.deepEqual(complaints, []);
  });
});
