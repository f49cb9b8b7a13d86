import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { askAs } from "../apps/server/test/asking.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { makePerson } from "../apps/server/test/people.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  dashboardUrl,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const field = (page: Page, label: string) => page.getByRole("textbox", { name: label, exact: true });

describe("the settings of a project", () => {
  it("say that a policy alone looks after nothing", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "settings"));
    await title(page, "Settings");
    const alert = page.getByRole("alert", { name: "Nobody is at work: no process has the role agent" });
    await page.getByText("Policy", { exact: true }).first().waitFor();
    assert.equal(await alert.count(), 0);
    await setSettings(house, project, { "agent.policy": "statistical@1" });
    await page.reload();
    await alert.getByText("ROLES=api,worker,agent npm start").waitFor();
  });

  it("are changed by keyboard alone: found, typed, looked at, saved, and undone", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "settings"));
    await title(page, "Settings");
    await page.getByLabel("Search settings").focus();
    await page.keyboard.type("recipient");
    await page.getByText("Prices of models").waitFor({ state: "detached" });
    await field(page, "Mails per recipient").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("1001");
    await page.getByText("1 change is not saved").waitFor();
    await page.getByRole("button", { name: "Look at the changes" }).press("Enter");
    const review = page.getByRole("dialog", { name: "What will change" });
    await review.getByRole("row", { name: "Mails per recipient 3 1001" }).waitFor();
    await hasFocus(review.getByRole("button", { name: "Save" }));
    await page.keyboard.press("Enter");
    await page.getByText("must be a whole number from 0 to 1000").waitFor();
    await field(page, "Mails per recipient").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("5");
    await page.getByRole("checkbox", { name: "Count opens" }).press("Space");
    await page.getByText("2 changes are not saved").waitFor();
    await page.keyboard.press("ControlOrMeta+s");
    await review.getByRole("row", { name: "Count opens on off" }).waitFor();
    await hasFocus(review.getByRole("button", { name: "Save" }));
    // Twice the same key would save what the person has not looked at.
    await page.keyboard.press("ControlOrMeta+s");
    await review.getByRole("button", { name: "Go on editing" }).focus();
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("2 settings are changed.").waitFor();
    await page.getByText(`Changed by ${person.name}`).first().waitFor();

    await page.getByRole("button", { name: "Back to the default of Mails per recipient" }).press("Enter");
    await page.getByText("Will be the default again.").waitFor();
    await page.getByRole("button", { name: "Look at the changes" }).press("Enter");
    await review.getByRole("row", { name: "Mails per recipient 5 3" }).waitFor();
    await review.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("1 setting is changed.").waitFor();
    await page.getByRole("tab", { name: "Settings" }).focus();
    await page.keyboard.press("ArrowRight");
    await page
      .getByRole("row", { name: new RegExp(`${person.name} Mails per recipient 5 default`) })
      .waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page
      .getByRole("row", { name: /changed settings/ })
      .first()
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it("that another person changed meanwhile are looked at again before they are overwritten", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    const other = await makePerson(house, { role: "owner" });
    await page.goto(pageOf(house, project, "settings"));
    await field(page, "Mails per recipient").fill("5");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    await askAs(house, other, project.projectId, [
      "PATCH",
      "/api/people/settings",
      { changes: { "email.capMax": "7" } },
    ]);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText(`was changed by ${other.name} meanwhile`).waitFor();
    await page.getByText(`Default: 3 · Changed by ${other.name}`).waitFor();
    await page.getByRole("button", { name: "Look at the changes" }).click();
    await page.getByRole("row", { name: "Mails per recipient 7 5" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("1 setting is changed.").waitFor();
    await page.getByRole("link", { name: "Set up the sender step by step" }).click();
    await page.getByRole("tab", { name: "Sender", selected: true }).waitFor();
  });

  it("keep secrets to themselves, and ask before typed ones are left", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    keepSecrets("hunter2-typed-by-ada");
    await page.goto(pageOf(house, project, "settings?q=mail+server"));
    const smtp = page.getByLabel("Mail server", { exact: true });
    await smtp.fill("smtp://ada:hunter2-typed-by-ada@[2d00::1]:2525");
    await page.getByRole("link", { name: "Audit log" }).click();
    const leaving = page.getByRole("dialog", { name: "Leave with changes that are not saved?" });
    await leaving.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Look at the changes" }).click();
    await page.getByRole("row", { name: "Mail server none set" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("It is set, and not shown.").waitFor();
    assert.equal(await smtp.inputValue(), "");
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row", { name: /changed settings.*email\.smtpUrl/ }).waitFor();
    assert.doesNotMatch((await page.content()) ?? "", /hunter2/);
  });

  it("have the identity secret, which is made, shown, and replaced", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "settings?q=proof"));
    await page.getByRole("button", { name: "Make it" }).click();
    const shown = page.getByRole("dialog", { name: "Identity secret" });
    const first = (await shown.getByLabel("Secret", { exact: true }).textContent()) ?? "";
    keepSecrets(first);
    assert.match(first, /^[0-9a-f]{64}$/);
    await shown.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByRole("button", { name: "Replace it" }).click();
    const second = (await shown.getByLabel("Secret", { exact: true }).textContent()) ?? "";
    keepSecrets(second);
    assert.notEqual(second, first);
    await shown.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText(/The former one is believed until/).waitFor();
  });
});

describe("the pages of settings", () => {
  it("are free of faults in every width and colour", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "settings?view=log"));
    await page.getByText("No setting was ever changed").waitFor();
    await assertFaultlessEverywhere(page, "the log of settings without changes");
    const long = "x".repeat(120);
    await askAs(house, person, project.projectId, [
      "PATCH",
      "/api/people/settings",
      {
        changes: {
          "agent.model": long,
          "email.from": `${"W".repeat(90)} <news@${"a".repeat(60)}.example>`,
          "email.postalAddress": "Acme\\n1 Main Street\\nOslo",
          "origins.allowed": Array.from({ length: 9 }, (_, index) => `https://shop${index}.example`).join(
            ", ",
          ),
        },
      },
    ]);
    await page.reload();
    await page.getByRole("row", { name: /Name of the model/ }).waitFor();
    await assertFaultlessEverywhere(page, "the log of settings");
    await page.goto(pageOf(house, project, "settings"));
    await field(page, "Mails per recipient").fill("5000");
    await field(page, "Name of the model").fill(`${long}y`);
    await assertFaultlessEverywhere(page, "settings");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "what will change");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("must be a whole number").waitFor();
    await assertFaultlessEverywhere(page, "a refused setting");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Give it up" }).click();
    await page.goto(pageOf(house, project, "settings?q=nothing+like+it"));
    await page.getByText("No setting is like that.").waitFor();
    await assertFaultlessEverywhere(page, "no setting found");
    await page.goto(pageOf(house, project, "settings?q=proof"));
    await page.getByRole("button", { name: "Make it" }).click();
    const shown = page.getByRole("dialog", { name: "Identity secret" });
    keepSecrets((await shown.getByLabel("Secret", { exact: true }).textContent()) ?? "");
    await assertFaultlessEverywhere(page, "the identity secret");
    await shown.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByRole("dialog", { name: "Replace the identity secret?" }).waitFor();
    await assertFaultlessEverywhere(page, "the question before another identity secret");

    const boss = await makePerson(house, { role: "owner" });
    const other = await newPage(t);
    await cameIn(other.context(), house, boss);
    await other.goto(`${dashboardUrl(house)}/app/p/-/settings`);
    await other.getByText("Spend cap in USD").waitFor();
    await assertFaultlessEverywhere(other, "settings of the organization");
    assert.deepEqual(complaints, []);
  });
});
