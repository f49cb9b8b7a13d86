import { after, before } from "node:test";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";

/** No sandbox, because CI runs as root; no services of Google's; shop.example is this machine, without TLS. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP shop.example 127.0.0.1",
];

export const launchBrowser = async (): Promise<Browser> =>
  driver.launch({ executablePath: await chromium.executablePath(), args: FLAGS });

/** A real Chromium for the tests of one file. Call at the top. */
export function testBrowser(): () => Browser {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());
  return () => browser;
}
