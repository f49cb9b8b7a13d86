import { after, before } from "node:test";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";
import { leftOpen } from "../apps/server/test/runner/left-open.ts";

/**
 * No sandbox, because CI runs as root; no services of Google's; shop.example is this machine, without TLS. Pages live for seconds, in
 * which the optimizing compilers of V8 cost more than they save.
 */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--js-flags=--no-maglev --no-opt",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP shop.example 127.0.0.1",
];

/**
 * How long a page is waited for, in milliseconds. A machine that others use may be several times slower for a while, and eight tabs share it;
 * what never comes fails all the same.
 */
export const PATIENCE_MS = 120_000;

export const launchBrowser = async (): Promise<Browser> =>
  driver.launch({ executablePath: await chromium.executablePath(), args: FLAGS });

async function launchShared(): Promise<Browser> {
  const browser = await launchBrowser();
  // Its standard output and error, and the two pipes by which it is driven.
  leftOpen.share(() => (browser.isConnected() ? { ProcessWrap: 1, PipeWrap: 4 } : {}));
  return browser;
}

let launched: Promise<Browser> | null = null;

/** The one browser of this process, which serves one test file after the other; launched again where it has ended. */
async function sharedBrowser(): Promise<Browser> {
  launched ??= launchShared();
  const browser = await launched;
  if (browser.isConnected()) return browser;
  launched = null;
  return sharedBrowser();
}

/** A real Chromium for the tests of one file, with nothing in it of the files before. Call at the top. */
export function testBrowser(): () => Browser {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });
  // The browser itself ends with the process.
  after(() => Promise.all(browser.contexts().map((context) => context.close())));
  return () => browser;
}
