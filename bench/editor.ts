/**
 * `node bench/editor.ts [--keys 60]`: how soon the editor of the dashboard draws a message after a key, in Chromium, for a toast and for
 * a mail; in turn with the bare request for the preview from the same page. Server and browser share the machine. Prints medians.
 */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import "../packages/web/scripts/build.ts";
import "../apps/dashboard/scripts/build.ts";
import { launchBrowser } from "../e2e/browser.ts";
import { startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median } from "./report.ts";

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchBrowser>>["newPage"]>>;

const { values } = parseArgs({ options: { keys: { type: "string", default: "60" } } });

const PARAGRAPH = "A sentence about **what is new**, with [a link](https://shop.example/new) in it.\n\n";
const MESSAGES = {
  web_inapp: {
    presentation: "toast",
    title: "Hello {{ user.name | default: 'you' }}",
    body: "Twice the reports.",
  },
  email: { subject: "What is new", body: `# What is new\n\n${PARAGRAPH.repeat(40)}` },
};
const FIELDS = { web_inapp: "Title", email: "Subject" };

async function makeAccount(page: Page, origin: string, { dataDir }: TidingsUnderLoad): Promise<void> {
  const cli = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;
  const printed = execFileSync(process.execPath, [cli, "people", "link"], {
    env: { ...process.env, DATA_DIR: dataDir },
    encoding: "utf8",
  });
  await page.goto(`${origin}/app/welcome#${/welcome#(\S+)/.exec(printed)?.[1] ?? ""}`);
  await page.getByLabel("Your name").fill("Grace");
  await page.getByLabel("Email").fill("grace@example.com");
  await page.locator("input[type=password]").first().fill("correct horse battery");
  await page.getByRole("button", { name: "Make my account" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
}

/** Milliseconds from a key to the answer of the frame that it has drawn. */
const drawnAfter = (page: Page, field: string, key: string): Promise<number> =>
  page.evaluate(
    ([label, text]) =>
      new Promise<number>((resolve) => {
        const input = [...document.querySelectorAll("input")].find(
          ({ labels }) => labels?.[0]?.textContent === label,
        );
        const begun = performance.now();
        addEventListener("message", () => resolve(performance.now() - begun), { once: true });
        input?.focus();
        document.execCommand("insertText", false, text);
      }),
    [field, key],
  );

/** Milliseconds of the request alone. */
const requestMs = (page: Page, projectId: string, channel: string, message: object): Promise<number> =>
  page.evaluate(
    async ([scope, body]) => {
      const begun = performance.now();
      const headers = { "x-tidings-project": scope ?? "", "content-type": "application/json" };
      await (await fetch("/api/people/preview", { method: "POST", headers, body: body ?? "" })).text();
      return performance.now() - begun;
    },
    [projectId, JSON.stringify({ channel, message })],
  );

const tidings = await startTidings();
const browser = await launchBrowser();
try {
  const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  const origin = `http://localhost:${tidings.port}`;
  await makeAccount(page, origin, tidings);
  for (const channel of ["web_inapp", "email"] as const) {
    const message = MESSAGES[channel];
    const response = await fetch(`${origin}/api/v1/campaigns`, {
      method: "POST",
      headers: { authorization: `Bearer ${tidings.secretKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Preview", channel, message }),
    });
    const { campaign } = (await response.json()) as { campaign: { id: string } };
    await page.goto(`${origin}/app/p/${tidings.projectId}/campaigns/${campaign.id}/edit`);
    await page.getByLabel(FIELDS[channel], { exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    const drawn: number[] = [];
    const bare: number[] = [];
    for (let key = 0; key < Number(values.keys); key++) {
      drawn.push(await drawnAfter(page, FIELDS[channel], "abcdefghij"[key % 10] ?? "a"));
      bare.push(await requestMs(page, tidings.projectId, channel, message));
    }
    const [all, alone] = [median(drawn), median(bare)];
    console.log(
      `${channel.padEnd(10)} ${all.toFixed(0)} ms from a key to the picture, ${alone.toFixed(0)} ms for the request alone: ${(all / alone).toFixed(1)} times`,
    );
  }
} finally {
  await browser.close();
  await tidings.stop();
}
