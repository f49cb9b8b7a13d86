import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { giveRole, makePerson, PASSWORD } from "../apps/server/test/people.ts";
import { firstToken } from "../apps/server/test/people-world.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  dashboardUrl,
  hasFocus,
  signIn,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
const { house: empty, page: pageOfEmpty } = testStage();

const open = (page: Page, label: string) => page.getByRole("link", { name: label, exact: true }).click();

describe("the first person", () => {
  it("comes in by the link that the start prints, by keyboard alone, and invites another", async (t) => {
    const page = await pageOfEmpty(t);
    const complaints = complaintsOf(page);
    await empty.project();
    const token = await firstToken(empty);
    await page.goto(`${dashboardUrl(empty)}/app/welcome#${token}`);
    await title(page, "Welcome to Tidings");
    assert.equal(new URL(page.url()).hash, "", "the secret leaves the address");
    for (const typed of ["Grace Hopper", "grace@example.com", PASSWORD]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(typed);
    }
    await page.keyboard.press("Enter");
    await title(page, "Test");
    await open(page, "People");
    await page.getByText("grace@example.com").waitFor();
    await page.getByRole("button", { name: "Invite" }).press("Enter");
    await hasFocus(page.getByRole("dialog").getByLabel("Email"));
    await page.keyboard.type("ada@example.com");
    await page.getByRole("button", { name: "Make the link" }).press("Enter");
    const link = await page.getByLabel("Link", { exact: true }).textContent();

    const ada = await pageOfEmpty(t);
    await ada.goto(link ?? "");
    await title(ada, "You are invited");
    await ada.getByText("Grace Hopper invites you as editor of Test.").waitFor();
    await ada.getByLabel("Your name").fill("Ada");
    await ada.getByLabel("New password").fill(PASSWORD);
    await ada.getByRole("button", { name: "Make my account" }).click();
    await title(ada, "Test");
    assert.equal(await ada.getByRole("link", { name: "People" }).getAttribute("data-disabled"), "true");

    await page.getByRole("button", { name: "Close" }).click();
    await open(page, "Audit log");
    await page.getByText("invited a person").waitFor();
    await page.goto(`${dashboardUrl(empty)}/app/welcome#${token}`);
    await title(page, "This link does not work any more");
    assert.deepEqual(complaints, []);
  });
});

describe("a person", () => {
  it("is led to the page that they wanted, and out again", async (t) => {
    const project = await house.project();
    const ada = await makePerson(house, { role: "viewer" });
    const page = await newPage(t);
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/audit`);
    await title(page, "Sign in");
    await page.getByLabel("Email").fill(ada.email);
    await page.locator("input[name=password]").fill("wrong horse battery");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("Invalid email or password").waitFor();
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await title(page, "Audit log");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await title(page, "Sign in");
    await page.goBack();
    await title(page, "Sign in");
  });

  it("sees what they lack, and nothing of a project that is none of theirs", async (t) => {
    const [project, other] = [await house.project(), await house.project()];
    const ada = await makePerson(house);
    await giveRole(house, project.projectId, ada, "viewer");
    const page = await newPage(t);
    await cameIn(page.context(), house, ada);
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/people`);
    await page.getByText("This page needs the role owner").waitFor();
    await page.goto(`${dashboardUrl(house)}/app/p/${other.projectId}/audit`);
    await title(page, "There is nothing here");
    await page.goto(`${dashboardUrl(house)}/app/no/such/page`);
    await title(page, "There is nothing here");
  });

  it("confirms what is hard to take back once the sign-in is old, and the change goes on", async (t) => {
    house.at(Date.now());
    const owner = await makePerson(house, { role: "owner" });
    const project = await house.project();
    const ada = await makePerson(house);
    await giveRole(house, project.projectId, ada, "viewer");
    const page = await newPage(t);
    await cameIn(page.context(), house, owner);
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/people`);
    await page.getByText(ada.email).waitFor();
    await house.database.pool.query(`update people."session" set "createdAt" = $2 where "userId" = $1`, [
      owner.id,
      new Date(house.now() - 600_000),
    ]);
    house.advance(5_000);
    await page.getByRole("combobox", { name: `Role of ${ada.name}` }).click();
    await page.getByRole("option", { name: /^Approver/ }).click();
    const dialog = page.getByRole("dialog", { name: "Is it you?" });
    await dialog.locator("input[name=password]").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.waitFor({ state: "hidden" });
    const member = page.getByRole("combobox", { name: `Role of ${ada.name}` });
    await member.and(page.locator("[value=Approver]")).waitFor();
    const { rows } = await house.database.pool.query("select role from member_roles where person_id = $1", [
      ada.id,
    ]);
    assert.deepEqual(rows, [{ role: "approver" }]);
  });

  it("makes a passkey, and signs in with it", async (t) => {
    house.at(Date.now());
    const ada = await makePerson(house, { role: "viewer" });
    await house.project();
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const devices = await page.context().newCDPSession(page);
    await devices.send("WebAuthn.enable");
    await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await signIn(house, page, ada);
    await open(page, "Your account");
    await page.getByText("You have no passkey yet.").waitFor();
    await page.getByRole("button", { name: "Make a passkey" }).click();
    await page.getByText(/^Passkey of /).waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await title(page, "Sign in");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("the pages", () => {
  it("are free of faults in every width and colour", async (t) => {
    const project = await house.project();
    const owner = await makePerson(house, { role: "owner", isOperator: true });
    const guest = await makePerson(house);
    await giveRole(house, project.projectId, guest, "editor");
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await page.goto(`${dashboardUrl(house)}/app/sign-in`);
    await title(page, "Sign in");
    await assertFaultlessEverywhere(page, "the sign-in");
    await signIn(house, page, owner);
    for (const [path, heading, ready] of [
      ["overview", "Test", "Running campaigns"],
      ["people", "People", guest.email],
      ["audit", "Audit log", "Nothing was changed here yet"],
      ["account", "Your account", "Signed in"],
    ] as const) {
      await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/${path}`);
      await title(page, heading);
      await page.getByText(ready).first().waitFor();
      await assertFaultlessEverywhere(page, path);
    }
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/people`);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("dialog", { name: "Invite a person" }).waitFor();
    await assertFaultlessEverywhere(page, "the invitation");
    assert.deepEqual(complaints, []);
  });

  it("say at the field what is wrong with a password, and cover no button with a bubble", async (t) => {
    const page = await newPage(t);
    await page.goto(`${dashboardUrl(house)}/app/sign-in`);
    await page.getByLabel("Email").fill("nobody");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Write an email address, such as").waitFor();
    await page.getByText("Write something here.").waitFor();
    await hasFocus(page.getByLabel("Email"));
    await page.getByLabel("Email").fill("nobody@example.com");
    await page.getByText("Write an email address, such as").waitFor({ state: "detached" });
  });

  it("say so where the server gives no answer, and go on when it does", async (t) => {
    const project = await house.project();
    const ada = await makePerson(house, { role: "viewer" });
    const page = await newPage(t);
    await cameIn(page.context(), house, ada);
    await page.route("**/api/people/audit*", (route) => route.abort());
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/audit`);
    await title(page, "Audit log");
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await page.getByText("The server cannot be reached.").first().waitFor();
    const lost = await newPage(t);
    await cameIn(lost.context(), house, ada);
    await lost.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/campaigns/cmp_none`);
    await lost.getByText("Campaign not found").waitFor();
    assert.equal(await lost.getByRole("button", { name: "Try again" }).count(), 0, "it is not found again");
    await page.unroute("**/api/people/audit*");
    await retry.click();
    await page.getByText("Nothing was changed here yet").waitFor();
  });

  it("come anew where an update has replaced their code, and say so where that does not help", async (t) => {
    const project = await house.project();
    const page = await newPage(t);
    await cameIn(page.context(), house, await makePerson(house, { role: "viewer" }));
    await page.goto(`${dashboardUrl(house)}/app/p/${project.projectId}/overview`);
    await title(page, "Test");
    /** Files that are gone: all that the dashboard asks for until it is loaded anew. */
    const gone = new Set<string>();
    let isOld = true;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    await page.route("**/app/assets/*.js", (route) => {
      const name = route.request().url();
      if (isOld) gone.add(name);
      return gone.has(name) ? route.fulfill({ status: 404 }) : route.continue();
    });
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await title(page, "This page cannot be shown");
    assert.equal(isOld, false, "it was loaded anew by itself");
    await page.getByText(/dynamically imported module/).waitFor();
    await assertFaultlessEverywhere(page, "a page without its code");
    gone.clear();
    await page.getByRole("button", { name: "Load it again" }).click();
    await title(page, "Users");

    // The new dashboard names the files of now.
    page.on("request", (request) => {
      if (request.isNavigationRequest()) gone.clear();
    });
    isOld = true;
    await page.getByRole("link", { name: "Audit log", exact: true }).click();
    await title(page, "Audit log");
    assert.equal(isOld, false, "it was loaded anew by itself");
  });

  it("weigh at most 230 KB at first, and 40 KB each further one", async () => {
    const dist = new URL("../apps/dashboard/dist/", import.meta.url);
    const html = await readFile(new URL("index.html", dist), "utf8");
    const weightOf = async (name: string) => gzipSync(await readFile(new URL(`assets/${name}`, dist))).length;
    const names = await readdir(new URL("assets/", dist));
    const first = names.filter((name) => html.includes(name));
    assert.ok(first.length >= 2);
    const sum = (weights: number[]) => weights.reduce((total, weight) => total + weight, 0);
    const firstKb = sum(await Promise.all(first.map(weightOf))) / 1_024;
    assert.ok(firstKb <= 230, `${firstKb.toFixed(1)} KB at first`);
    for (const name of names.filter((each) => !first.includes(each)))
      assert.ok((await weightOf(name)) <= 40 * 1_024, name);
  });
});
