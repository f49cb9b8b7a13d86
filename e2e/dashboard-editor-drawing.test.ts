import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { Frame } from "playwright-core";
import { setSettings } from "../apps/server/test/email.ts";
import { toast } from "../apps/server/test/factories.ts";
import { accessibilityFaults } from "./axe.ts";
import { editorStage, frameOf } from "./editor.ts";
import { pageWith } from "./site.ts";

const { house, site, newPage, opened, editing } = editorStage();

/** A server of another host, and what was requested of it. */
async function startStranger(t: TestContext): Promise<{ url: string; requested: string[] }> {
  const requested: string[] = [];
  const server = createServer((request, answer) => {
    requested.push(request.url ?? "");
    answer.setHeader("content-type", "image/png").end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}

/** What the SDK has drawn, without the scheme of the page around it. */
const drawnIn = (frame: Frame): Promise<string> =>
  frame.locator("tidings-message").evaluate((host) => {
    const root = host.shadowRoot;
    const sheets = root?.adoptedStyleSheets.flatMap(({ cssRules }) =>
      [...cssRules].map(({ cssText }) => cssText),
    );
    return `${root?.innerHTML}\n${sheets?.join("\n")}`;
  });

describe("the pictures of a message", () => {
  it("come from this server at once, and from another host only when a person says so", async (t) => {
    const page = await newPage(t);
    const stranger = await startStranger(t);
    const [project] = await opened(page, "editor");
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "1 Main Street",
    });
    const own: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/media/")) own.push(request.url());
    });
    const picture = (url: string): string => `![A picture](${url})`;
    const body = `Look\n\n${picture(`${stranger.url}/spy.png`)}\n\n${picture(`${house.url}/media/own.png`)}`;
    await editing(page, project, { channel: "email", message: { subject: "Hello", body } });
    const show = page.getByRole("button", { name: `Show pictures from ${new URL(stranger.url).host}` });
    await show.waitFor();
    await (await frameOf(page, "The mail")).getByText("Look").waitFor();
    assert.deepEqual([stranger.requested, own.length > 0], [[], true]);
    assert.deepEqual(await accessibilityFaults(page), []);
    const loaded = page.waitForResponse(`${stranger.url}/spy.png`);
    await show.click();
    await loaded;
    await (await frameOf(page, "The mail")).getByText("Look").waitFor();
    assert.deepEqual([stranger.requested, await show.count()], [["/spy.png"], 0]);
  });

  it("come from no host that an address of the frame only seems to name", async () => {
    const policyFor = async (...given: string[]): Promise<string> => {
      const query = new URLSearchParams(given.map((each) => ["pictures", each]));
      const { headers } = await fetch(`${house.url}/app/preview?${query}`);
      const directives = (headers.get("content-security-policy") ?? "").split("; ");
      assert.equal(directives.length, 8, "one policy, of the directives that it has without an address");
      return directives.find((each) => each.startsWith("img-src ")) ?? "";
    };
    const plain = await policyFor();
    assert.equal(plain, `img-src 'self' data: ${house.url}`);
    for (const bad of [
      "*",
      "https:",
      "https://a.example; script-src *",
      "https://a.example/x",
      "data:",
      "https://*.example *",
      "",
    ])
      assert.equal(await policyFor(bad), plain, bad);
    assert.equal(
      await policyFor("https://a.example", "http://b.example:81"),
      `${plain} https://a.example http://b.example:81`,
    );
  });
});

describe("what the editor draws", () => {
  it("draws a message as the page of a customer does, to the last element and rule", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada <b>" } } });
    const contents = [
      {
        ...toast("Hello {{ user.name }}"),
        body: "Two\nlines",
        cta: { label: "Go", url: "https://shop.example/" },
      },
      { presentation: "modal" as const, title: "مرحبا", body: "x".repeat(600) },
    ];
    for (const message of contents) {
      const id = await editing(page, project, { message });
      await page.getByRole("combobox", { name: "As this user" }).fill("ada");
      const frame = await frameOf(page, "The message in a page");
      await frame
        .getByText("presentation" in message && message.presentation === "modal" ? "مرحبا" : "Hello Ada")
        .waitFor();
      await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
      const script = `<script async src="${house.url}/tidings.js" data-key="${project.publishableKey}" data-user="ada" data-theme="light"></script>`;
      site.serve({ "/": { html: pageWith(script) } });
      const visitor = await newPage(t);
      await visitor.goto(site.url);
      await visitor.locator("tidings-message [part~=card]").waitFor();
      assert.equal(await drawnIn(frame), await drawnIn(visitor.mainFrame()));
      await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    }
  });

  it("gives a message no way to the page around it, and takes no focus from the person who types", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await editing(page, project, { message: { presentation: "modal", title: "Hello" } });
    await page.getByLabel("Title").fill("Hello there");
    const frame = await frameOf(page, "The message in a page");
    await frame.getByText("Hello there").waitFor();
    assert.equal(await page.getByLabel("Title").evaluate((field) => field === document.activeElement), true);
    const origin = await frame.evaluate(() => {
      try {
        return [self.origin, String(document.cookie), String(parent.document)];
      } catch (error) {
        return [self.origin, (error as Error).name];
      }
    });
    assert.deepEqual(origin, ["null", "SecurityError"]);
  });

  it("keeps the last good picture of a message while a person writes", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await editing(page, project);
    const link = page.getByLabel("Link of the button");
    const frame = await frameOf(page, "The message in a page");
    await frame.getByText("Hello").waitFor();
    await page.getByLabel("Text of the button").fill("Go");
    await link.focus();
    await page.keyboard.type("ht");
    await page.getByText("As of your last complete text.").waitFor();
    await frame.getByText("Hello").waitFor();
    assert.equal(await link.getAttribute("aria-invalid"), null, "nothing is red while it is written");
    await page.getByLabel("Text", { exact: true }).focus();
    await page
      .getByText("must be an address such as https://example.com", { exact: false })
      .first()
      .waitFor();
    assert.equal(await link.getAttribute("aria-invalid"), "true");
  });
});
