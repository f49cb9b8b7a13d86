/**
 * `node bench/first-campaign.ts [--rounds 3]`: from `npm start` in a new folder to a person who is signed in, has launched a first campaign and
 * sees its toast in a page of their own, in Chromium, by what a person does. Prints how long the person waits for the machine, how
 * often they click and press a key, and an estimate of their own time.
 *
 * The estimate is the keystroke-level model (Card, Moran and Newell, "The keystroke-level model for user performance time with interactive
 * systems", Communications of the ACM 23(7), 1980) with its own times: a key of an average typist 0.28 s, pointing at something 1.1 s, a
 * click 0.2 s, a hand from mouse to keyboard or back 0.4 s, and 1.35 s of thought before each thing that is clicked or written. It says
 * how long a person takes who knows what to write, not how long they think about that, or read.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { launchBrowser } from "../e2e/browser.ts";
import { startOwnServer } from "../e2e/own-server.ts";
import { median } from "./report.ts";

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchBrowser>>["newPage"]>>;
type Locator = ReturnType<Page["locator"]>;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });

const WANTED = { waitingSeconds: 15, personSeconds: 180 };
/** Seconds of the model. */
const MODEL = { key: 0.28, pointing: 1.1, click: 0.2, homing: 0.4, thought: 1.35 };
const SECOND_MS = 1_000;

/** What a person does: each act is done, counted, and its effect waited for. */
class Person {
  clicks = 0;
  keys = 0;
  /** Changes of the hand between mouse and keyboard. */
  homings = 0;
  /** Things that were thought of before they were done. */
  thoughts = 0;
  waitedMs = 0;

  /** Waits for the machine, as long as it takes. */
  async wait<T>(forWhat: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const found = await forWhat();
    this.waitedMs += performance.now() - begun;
    return found;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    this.thoughts++;
    await this.wait(() => target.click());
  }

  /** Clicks into a field and types. */
  async write(field: Locator, text: string): Promise<void> {
    await this.click(field);
    this.homings += 2;
    this.thoughts++;
    this.keys += text.length;
    await this.wait(() => field.fill(text));
  }

  /** A click or a shortcut outside of the page: in the terminal, or in an editor. */
  outside({ clicks, keys }: { clicks: number; keys: number }): void {
    this.clicks += clicks;
    this.keys += keys;
    this.homings += keys > 0 ? 2 : 0;
    this.thoughts++;
  }

  /** The estimate of the model, in seconds. */
  seconds(): number {
    const { clicks, keys, homings, thoughts } = this;
    return (
      clicks * (MODEL.pointing + MODEL.click) +
      keys * MODEL.key +
      homings * MODEL.homing +
      thoughts * MODEL.thought
    );
  }
}

/** The person's own page, with the lines of Tidings in it. */
async function servePage(snippet: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>My product</title>${snippet}<h1>My product</h1>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });

async function makeAccount(person: Person, page: Page, link: string): Promise<void> {
  person.outside({ clicks: 1, keys: 0 });
  await person.wait(() => page.goto(link));
  await person.write(page.getByLabel("Your name"), "Grace");
  await person.write(page.getByLabel("Email"), "grace@example.com");
  await person.write(page.locator("input[type=password]").first(), "correct horse battery");
  await person.click(button(page, "Make my account"));
  await person.wait(() => button(page, "Sign out").waitFor());
}

async function launchFirst(person: Person, page: Page): Promise<void> {
  await person.click(page.getByRole("link", { name: "Campaigns", exact: true }));
  await person.click(button(page, "New campaign"));
  await person.write(page.getByLabel("Name", { exact: true }), "Hello");
  await person.write(page.getByLabel("Title"), "Hello from Tidings");
  await person.write(page.getByLabel("Text", { exact: true }), "This is our first message.");
  await person.click(button(page, "Save as a draft"));
  await person.click(button(page, "Launch"));
  const dialog = page.getByRole("dialog", { name: "Launch “Hello”?" });
  await person.click(dialog.getByRole("button", { name: "Launch" }));
  await person.wait(() => dialog.waitFor({ state: "detached" }));
}

/** Copies the lines, puts them into a page, and opens it. */
async function seeToast(person: Person, page: Page): Promise<void> {
  await person.click(page.getByRole("link", { name: "Overview", exact: true }));
  await person.click(button(page, "Copy"));
  const snippet = (await page.locator("pre", { hasText: "tidings.js" }).textContent()) ?? "";
  // A click into the file, paste and save; then the page is opened.
  person.outside({ clicks: 1, keys: 4 });
  person.outside({ clicks: 1, keys: 0 });
  const { url, server } = await servePage(snippet);
  try {
    const own = await page.context().newPage();
    await person.wait(async () => {
      await own.goto(url);
      await own.getByText("Hello from Tidings").waitFor();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function runOnce(): Promise<{ person: Person; startMs: number }> {
  const person = new Person();
  person.outside({ clicks: 0, keys: "npm start\n".length });
  const running = await person.wait(startOwnServer);
  const startMs = person.waitedMs;
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
    await makeAccount(person, page, running.link);
    await launchFirst(person, page);
    await seeToast(person, page);
  } finally {
    await browser.close();
    await running.stop();
  }
  return { person, startMs };
}

const waited: number[] = [];
const starts: number[] = [];
let last = new Person();
for (let round = 1; round <= Number(values.rounds); round++) {
  const { person, startMs } = await runOnce();
  last = person;
  waited.push(person.waitedMs / SECOND_MS);
  starts.push(startMs / SECOND_MS);
  console.log(
    `round ${round}  waited ${(person.waitedMs / SECOND_MS).toFixed(1)} s, of which for the start ${(startMs / SECOND_MS).toFixed(1)} s`,
  );
}
const personSeconds = last.seconds();
console.log(
  `waiting for the machine  ${median(waited).toFixed(1)} s (wanted: under ${WANTED.waitingSeconds} s), of which for the start ${median(starts).toFixed(1)} s`,
);
console.log(
  `the person               ${last.clicks} clicks, ${last.keys} keys: about ${personSeconds.toFixed(0)} s (wanted: under ${WANTED.personSeconds} s)`,
);
if (median(waited) > WANTED.waitingSeconds || personSeconds > WANTED.personSeconds) process.exitCode = 1;
