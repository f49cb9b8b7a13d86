import assert from "node:assert/strict";
import type { Locator, Page, Request, Response } from "playwright-core";

declare global {
  interface Window {
    /** The SDK of the script tag. */
    tidings: { push(...calls: readonly unknown[][]): void };
  }
}

/** The message in a page; Playwright's locators look into it. */
export const messageIn = (page: Page): Locator => page.locator("tidings-message");

/** Calls the SDK as a page does. */
export const tell = (page: Page, ...calls: unknown[][]): Promise<void> =>
  page.evaluate((given) => window.tidings.push(...given), calls);

/** A call that records an event with a number in it, to know it by. */
export const step = (n: number): unknown[] => ["track", "step", { n }];

/** Two frames: whatever was about to be drawn is there now. Fails of a page that draws none within the time limit of pages. */
export async function twoFrames(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      new Promise<boolean>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))),
  );
}

const asksForMessages = (request: Request): boolean =>
  request.method() === "GET" && new URL(request.url()).pathname === "/api/v1/messages";

/** Does something after which the page asks for messages, and waits for the whole answer. */
export async function messagesAfter(page: Page, act: () => Promise<unknown>): Promise<Response> {
  const answered = page.waitForResponse((response) => asksForMessages(response.request()));
  await act();
  const answer = await answered;
  await answer.finished();
  await twoFrames(page);
  return answer;
}

/** Does something after which the page asks for messages, and shows none. */
export async function seesNothing(page: Page, act: () => Promise<unknown>): Promise<void> {
  await messagesAfter(page, act);
  assert.equal(await messageIn(page).count(), 0, "no message in the page");
}

/** All of the API's requests of a page from now on, as `POST /track`; preflights are none of them. */
export function requestsOf(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/v1/") && request.method() !== "OPTIONS")
      seen.push(`${request.method()} ${pathname.slice("/api/v1".length)}`);
  });
  return seen;
}

/** Waits until the server has acknowledged everything that this page's site had to say. */
export const allSent = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => Object.keys(localStorage).every((key) => !key.startsWith("tidings:")));
};
