/**
 * `node bench/sdk.ts [--loads 20]`: how soon a visitor sees a toast. A page of another origin with the three lines, beside
 * the same page without them, loaded in turn in one Chromium with an empty cache each time; server and browser share the
 * machine. Prints medians over the loads, and what the SDK weighs.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import "../packages/web/scripts/build.ts";
import { launchBrowser } from "../e2e/browser.ts";
import { pageWith, snippet } from "../e2e/site.ts";
import { startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({ options: { loads: { type: "string", default: "20" } } });

const browser = await launchBrowser();

async function launchToast({ port, secretKey }: TidingsUnderLoad): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/campaigns`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "First paint",
      launch: true,
      message: {
        presentation: "toast",
        title: "Free delivery today",
        body: "On every first order, until midnight.",
        cta: { label: "Have a look", destination: { kind: "website", url: "https://example.com/offer" } },
      },
    }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** Milliseconds since the page was asked for; null for what it does not have. */
type Paints = { page: number; script: number | null; toast: number | null };

/** One visit by a new visitor, with nothing in the browser's cache. */
async function visit(url: string, withToast: boolean): Promise<Paints> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = (now: number): void => {
      const card = document.querySelector("tidings-message")?.shadowRoot?.querySelector(".card");
      if (card) performance.mark("toast", { startTime: now });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(url);
  if (withToast) await page.waitForFunction(() => performance.getEntriesByName("toast").length > 0);
  const paints = await page.evaluate(async () => {
    const firstPaint = (): PerformanceEntry | undefined =>
      performance.getEntriesByName("first-contentful-paint")[0];
    while (firstPaint() === undefined) await new Promise(requestAnimationFrame);
    const script = performance
      .getEntriesByType("resource")
      .find((entry) => entry.name.endsWith("/tidings.js")) as PerformanceResourceTiming | undefined;
    return {
      page: firstPaint()?.startTime ?? 0,
      script: script?.responseEnd ?? null,
      toast: performance.getEntriesByName("toast")[0]?.startTime ?? null,
    };
  });
  await context.close();
  return paints;
}

const tidings = await startTidings();
const site = createServer((request, response) => {
  const userId = new URL(request.url ?? "/", "http://site").searchParams.get("user");
  const lines =
    userId === null ? "" : snippet(`http://127.0.0.1:${tidings.port}`, tidings.publishableKey, userId);
  response.setHeader("content-type", "text/html; charset=utf-8").end(pageWith(lines));
});
try {
  await launchToast(tidings);
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const home = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const empty: number[] = [];
  const withSdk: number[] = [];
  const toast: number[] = [];
  const sinceScript: number[] = [];
  await visit(home, false);
  for (let load = 0; load < Number(values.loads); load++) {
    empty.push((await visit(home, false)).page);
    const paints = await visit(`${home}?user=visitor-${load}`, true);
    withSdk.push(paints.page);
    toast.push(paints.toast ?? Number.NaN);
    sinceScript.push((paints.toast ?? Number.NaN) - (paints.script ?? Number.NaN));
  }
  const ms = (samples: readonly number[]): string => `${median(samples).toFixed(0)} ms`.padStart(8);
  console.log(`${ms(empty)}  first paint of an empty page`);
  console.log(`${ms(withSdk)}  first paint of the same page with the SDK`);
  console.log(`${ms(toast)}  the toast is drawn, since the page was asked for`);
  console.log(`${ms(sinceScript)}  the toast is drawn, since the script had arrived`);
  const bytes = Number(
    (
      await fetch(`http://127.0.0.1:${tidings.port}/tidings.js`, {
        method: "HEAD",
        headers: { "accept-encoding": "gzip" },
      })
    ).headers.get("content-length"),
  );
  console.log(`   ${bytes} bytes of script on the wire`);
} finally {
  site.close();
  await browser.close();
  await tidings.stop();
}
