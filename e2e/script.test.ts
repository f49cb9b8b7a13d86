import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { messageIn, requestsOf, seesNothing, step, tell, twoFrames } from "./seen.ts";
import { pageWith, snippet } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, counts } from "./truth.ts";

const { house, site, shop, page: newPage } = testStage();

describe("calls before their time", () => {
  it("gives events from before identify to the user", async (t) => {
    const project = await house.project();
    site.serve({
      "/": {
        html: pageWith(
          `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}"></script>`,
        ),
      },
    });
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url);
    await tell(page, step(1), step(2));
    await twoFrames(page);
    assert.deepEqual(requests, []);
    await tell(page, ["identify", "ada"], step(3));
    assert.deepEqual(await allArrived(house, project, 3), [1, 2, 3]);
  });

  it("makes the calls that the page noted before the script was there", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    site.serve({
      "/": {
        html: pageWith(`<script>
  (window.tidings ??= []).push(["track", "step", { n: 1 }], ["identify", "ada"]);
  window.tidings.push(["track", "step", { n: 2 }], ["no such call"], ["init", ${JSON.stringify({ key: project.publishableKey })}]);
  window.tidings.push(["track", "step", { n: 3 }]);
</script>
<script async src="${house.url}/tidings.js"></script>`),
      },
    });
    const page = await newPage(t);
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.deepEqual(await allArrived(house, project, 3), [1, 2, 3]);
    assert.deepEqual(errors, []);
  });

  it("breaks nothing when the script is blocked", async (t) => {
    await shop();
    const page = await newPage(t);
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.route("**/tidings.js", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto(site.url);
    await tell(page, step(1), ["identify", "bob"]);
    assert.equal(await page.getByRole("heading", { name: "Shop" }).count(), 1);
    assert.deepEqual(errors, []);
  });

  it("is one Tidings where the script is in a page twice", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const three = snippet(house.url, project.publishableKey, "ada");
    site.serve({ "/": { html: pageWith(three + three) } });
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url, { waitUntil: "networkidle" });
    await page.getByText("Hello").first().waitFor();
    await counts(project, id, "shown");
    await tell(page, step(1));
    assert.deepEqual(await allArrived(house, project, 1), [1]);
    assert.equal(await messageIn(page).count(), 1);
    assert.equal(requests.filter((request) => request === "GET /messages").length, 1);
  });

  it("is told nothing of a visitor without a user id", async (t) => {
    const project = await house.project();
    await launchCampaign(project);
    site.serve({
      "/": {
        html: pageWith(
          `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}" data-user=""></script>`,
        ),
      },
    });
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url, { waitUntil: "networkidle" });
    await page.evaluate(() => {
      const texts = [
        "",
        " ",
        "\u00a0\t",
        "undefined",
        "null",
        "(null)",
        "NaN",
        "None",
        "0",
        "true",
        "FALSE",
        "anonymous",
        "guest",
      ];
      const others = [
        undefined,
        null,
        Number.NaN,
        Infinity,
        0,
        -0,
        1.5,
        2 ** 53,
        true,
        false,
        {},
        [],
        { id: "ada" },
        () => "ada",
      ];
      for (const id of [
        ...texts,
        "[object Object]",
        "[object Promise]",
        ...others,
        Symbol("ada"),
        Object.create(null),
      ])
        window.tidings.push(["identify", id, { plan: "pro" }]);
    });
    await tell(page, step(1));
    await twoFrames(page);
    assert.deepEqual(requests, []);
    await tell(page, ["identify", "ada"]);
    await page.getByText("Hello").waitFor();
    assert.deepEqual(await allArrived(house, project, 1), [1]);
  });

  it("knows a user by a number, however large, without rounding it", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    site.serve({
      "/": {
        html: pageWith(
          `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}"></script>`,
        ),
      },
    });
    const page = await newPage(t);
    await page.goto(site.url);
    await tell(page, ["identify", 42, { plan: "pro" }], step(1));
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.deepEqual(await allArrived(house, project, 1, { userId: "42" }), [1]);
    await page.evaluate(() =>
      window.tidings.push(["identify", 1161888007138312193n], ["track", "step", { n: 2 }]),
    );
    assert.deepEqual(await allArrived(house, project, 1, { userId: "1161888007138312193" }), [2]);
  });

  it("goes on after an event that cannot be written down", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    site.serve({
      "/": {
        html: pageWith(
          `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}"></script>`,
        ),
      },
    });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.evaluate(() => {
      const loop: Record<string, unknown> = {};
      loop.loop = loop;
      const late = { n: 2 };
      window.tidings.push(["track", "step", { n: 1 }], ["track", "step", loop], ["track", "step", late]);
      late.n = 9;
      window.tidings.push(["identify", "ada"]);
    });
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
  });
});

it("does not ask anything of the customer's own site", async (t) => {
  const project = await shop();
  const { id } = await launchCampaign(project);
  const page = await newPage(t);
  const own: string[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(site.url)) own.push(new URL(request.url()).pathname);
  });
  await page.goto(site.url);
  await page.getByText("Hello").waitFor();
  await counts(project, id, "shown");
  await seesNothing(page, async () => {
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await page.goto(`${site.url}/next`);
  });
  assert.deepEqual(
    own.filter((path) => path !== "/favicon.ico"),
    ["/", "/next"],
  );
});
