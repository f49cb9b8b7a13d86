import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { install } from "../apps/server/test/devices.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type ApnsPeer, apnsRefuses, startApns } from "../apps/server/test/peers/apns.ts";
import { APP, inspect, launchPush, PUSH, putCredential, reachable } from "../apps/server/test/push.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
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
    await dialog.getByText(/^Key must/).waitFor();
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
    await page.getByRole("button", { name: "Put a credential" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the form of a credential");
    await look("push/devices/phone-of-ada", "The user opened it");
    await look(`push/devices/${long}`, "Nothing has happened yet.");
    for (const view of ["", "?view=slots", "?view=targets", "?view=attempts", "?view=outcomes"])
      await look(`push/campaigns/${id}${view}`, "1 user waits");
    assert.deepEqual(complaints, []);
  });
});
