import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@tidings/client";
import { refusal } from "../apps/server/test/harness.ts";
import { PASSWORD } from "../apps/server/test/people.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import { complaintsOf, openedBy, PHONE, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

describe("on a phone", () => {
  it("an owner replaces a key, and the former one stops", async (t) => {
    house.at(Date.now());
    const page = await newPage(t, PHONE);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "keys"));
    await page.getByRole("button", { name: "Replace: Secret keys" }).tap();
    const dialog = page.getByRole("dialog", { name: "Replace: Secret keys" });
    await dialog.getByRole("combobox", { name: "The present ones work for" }).tap();
    await page.getByRole("option", { name: "no longer: it stops at once" }).tap();
    await dialog.getByRole("button", { name: "Replace", exact: true }).tap();
    const key = (await page.getByLabel("New key", { exact: true }).textContent()) ?? "";
    keepSecrets(key);
    await dialog.getByRole("button", { name: "Close", exact: true }).tap();
    await createClient(house.url, key).listCampaigns();
    // Servers believe a key for some seconds.
    house.advance(6_000);
    const former = await refusal(createClient(house.url, project.secretKey).listCampaigns());
    assert.equal(former.status, 401);
    assert.deepEqual(complaints, []);
  });

  it("an approver erases a user, after typing the id", async (t) => {
    house.at(Date.now());
    const page = await newPage(t, PHONE);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "approver");
    await project.sdk.identify({ body: { userId: "ada", traits: {} } });
    await page.goto(pageOf(house, project, "users"));
    await page.getByRole("link", { name: "ada" }).tap();
    await title(page, "ada");
    await page.getByRole("button", { name: "Erase" }).tap();
    const dialog = page.getByRole("dialog", { name: "Erase this user for good?" });
    await dialog.getByLabel("Type ada to confirm").fill("ada");
    await dialog.getByRole("button", { name: "Erase for good" }).tap();
    await title(page, "Users");
    await page.getByText("The user is erased.").waitFor();
    const { status } = await refusal(project.api.getUser({ path: { id: "ada" } }));
    assert.equal(status, 404);
    assert.deepEqual(complaints, []);
  });

  it("an owner invites a colleague, who comes in on a phone as well", async (t) => {
    house.at(Date.now());
    const page = await newPage(t, PHONE);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "overview"));
    await page.getByRole("button", { name: "Open navigation" }).tap();
    await page.getByRole("link", { name: "People", exact: true }).tap();
    await title(page, "People");
    await page.getByRole("button", { name: "Invite" }).tap();
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("Email").fill("lin@example.com");
    await dialog.getByRole("button", { name: "Make the link" }).tap();
    const link = (await page.getByLabel("Link", { exact: true }).textContent()) ?? "";

    const invited = await newPage(t, PHONE);
    // The address of the server itself, whatever it calls itself in links.
    await invited.goto(`${new URL(page.url()).origin}${new URL(link).pathname}${new URL(link).hash}`);
    await title(invited, "You are invited");
    await invited.getByLabel("Your name").fill("Lin");
    await invited.getByLabel("New password").fill(PASSWORD);
    await invited.getByRole("button", { name: "Make my account" }).tap();
    await title(invited, "Test");
    await page.reload();
    await page.getByText("lin@example.com").waitFor();
    assert.deepEqual(complaints, []);
  });
});
