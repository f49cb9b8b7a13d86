import type { Options } from "./api.ts";
import { identify, init, reset, track } from "./index.ts";
import { warn } from "./warn.ts";

/** `["track", "order_placed"]`: a call as the page notes it down before this script is there. */
type Note = readonly [name: string, ...args: unknown[]];
type Calls = Readonly<Record<string, (...args: never[]) => void>>;

const page = window as { tidings?: unknown };
const { tidings: notes = [] } = page;
const script = document.currentScript as HTMLScriptElement;
const { key, user, userHash, theme, closeLabel, url = new URL(".", script.src).href } = script.dataset;

const calls: Calls = { init: (options: Options) => init({ url, ...options }), identify, track, reset };

/** Makes the calls of some notes, so that a page may go on noting once the script is there. */
const push = (...notes: Note[]): void => {
  for (const [name, ...args] of notes) {
    (calls[name] ?? (() => warn(`no ${name}`)))(...(args as never[]));
  }
};

// Anything else is this script, which the page has twice.
if (Array.isArray(notes)) {
  page.tidings = { ...calls, push };
  if (key) init({ key, url, closeLabel, theme: theme as Options["theme"] });
  else if (!/init/.test(`${notes}`)) warn("no key");
  if (user !== undefined) identify(user, {}, { userHash });
  push(...notes);
}
