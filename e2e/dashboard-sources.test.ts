import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  announce,
  commitChange,
  decideLaunch,
  deploy,
  launchedFromCode,
  mirrorsFolder,
  ownRepository,
} from "../apps/server/test/from-code.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { WITHOUT_GIT } from "../apps/server/test/peers/repository.ts";
import { makePerson } from "../apps/server/test/people.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  cameIn,
  complaintsOf,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage({ dataDir: mirrorsFolder() });

/** A project, and the person who runs the server: repositories on this computer are for them alone. */
async function openedByOperator(page: Page): Promise<TestProject> {
  house.at(Date.now());
  const project = await house.project();
  await cameIn(page.context(), house, await makePerson(house, { role: "owner", isOperator: true }));
  return project;
}

describe("sources", { skip: WITHOUT_GIT }, () => {
  it("go from a repository that is connected to a campaign that launched, and are removed", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const repository = ownRepository();
    const sha = repository.commit({ "a.txt": "a" });
    const project = await openedByOperator(page);
    await page.goto(pageOf(house, project, "sources"));
    await title(page, "Sources");
    await page.getByText("No repository is connected.").waitFor();

    // By keyboard alone.
    await page.getByRole("button", { name: "Connect a repository" }).first().focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Connect a repository" });
    await hasFocus(dialog.getByLabel("Name"));
    await page.keyboard.type("web");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ftp://nowhere");
    await page.keyboard.press("Enter");
    await dialog.getByText(/^Address must begin with/).waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(repository.url);
    await page.keyboard.press("Enter");
    await page.getByText("The repository is connected.").waitFor();
    await page.getByRole("link", { name: "web", exact: true }).focus();
    await page.keyboard.press("Enter");
    await title(page, "web");

    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText(`It can be read: main is at ${sha.slice(0, 10)}.`).waitFor();
    await page.getByRole("button", { name: "Add an environment" }).click();
    await page.getByRole("dialog").getByLabel("Environment").fill("production");
    await page.getByRole("dialog").getByRole("button", { name: "Add an environment" }).click();
    await page.getByRole("row", { name: /production.*as it is reported/ }).waitFor();
    const { id } = await announce(project, [commitChange(sha)]);
    await house.drain();
    await page.reload();
    await page.getByText("Can be read", { exact: true }).waitFor();

    await page.goto(pageOf(house, project, "sources?view=announcements"));
    const line = page.getByRole("row", { name: /Dark mode is here/ });
    await line.getByText("A person has to allow it.").waitFor();
    await line.getByText(/nothing was deployed there yet/).waitFor();
    assert.equal(
      await line.getByRole("link", { name: "To the approvals" }).getAttribute("href"),
      `/app/p/${project.projectId}/approvals`,
    );
    await deploy(house, project, sha, { label: "v1.4.2" });
    await decideLaunch(house, project, id);
    await house.drain();
    await page.reload();
    await line.getByText(/production: live, reported/).waitFor();
    await line.getByText(/^Launched .*by itself$/).waitFor();
    await page.getByRole("tab", { name: "Deployments" }).click();
    await page.getByRole("row", { name: /production.*v1\.4\.2.*Live/ }).waitFor();
    await page.getByRole("tab", { name: "Campaigns" }).click();
    await line.getByRole("link", { name: "Results" }).click();
    await title(page, "Dark mode is here");

    await page.goto(pageOf(house, project, "sources/web"));
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await title(page, "Sources");
    await page.getByText("No repository is connected.").waitFor();
    await page.goto(pageOf(house, project, "audit"));
    await page.getByRole("row", { name: /connected a repository/ }).waitFor();
    await page.getByRole("row", { name: /removed a repository/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("are changed by owners; viewers look, and learn which role it takes", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    await launchedFromCode(house, project);
    await page.goto(pageOf(house, project, "sources/web"));
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit the repository" });
    assert.equal(await dialog.getByRole("button", { name: "Save" }).isDisabled(), true);
    await dialog.getByLabel("What an agent has to mind").fill("Our users are dentists.");
    await dialog.getByLabel("Campaigns that announce its changes wait").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Our users are dentists.").waitFor();
    await page.getByText("Campaigns wait", { exact: true }).waitFor();
    await page.goto(pageOf(house, project, "sources"));
    await page.getByRole("button", { name: "Let them launch by themselves" }).click();
    await page.getByText("A campaign launches by itself once").waitFor();
    assert.equal((await project.api.getLaunchPolicy()).defaultMode, "automatic");

    const other = await newPage(t);
    const [foreign] = await openedBy(house, other, "viewer");
    await other.goto(pageOf(house, foreign, "sources"));
    await other.getByRole("button", { name: "Connect a repository" }).first().press("Enter");
    await other.getByText("Needs the role owner").first().waitFor();
    assert.equal(await other.getByRole("dialog").count(), 0);
    await other.goto(pageOf(house, foreign, "sources/web"));
    await other.getByText("Source not found").waitFor();
  });
});

describe("the pages of sources", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    const look = (path: string, ready: string) =>
      assertPageFaultless(page, pageOf(house, project, path), ready);
    await look("sources", "No repository is connected.");
    await look("sources?view=announcements", "No campaign announces");
    await page.goto(pageOf(house, project, "sources"));
    await page.getByRole("button", { name: "Connect a repository" }).first().click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the form of a repository");
    await launchedFromCode(house, project);
    const long = "x".repeat(80);
    await announce(project, [commitChange("e".repeat(40), long)], { name: long });
    await look("sources", "acme/web.git");
    await look("sources?view=announcements", "From code");
    await look("sources?view=deployments", "production");
    await look("sources/web", "refs/heads/production");
    await page.getByRole("button", { name: "Add an environment" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the form of a mapping");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the form of a change");
    assert.deepEqual(complaints, []);
  });
});
