import type { Options } from "./api.ts";
import { identify, init, reset, track } from "./index.ts";
import { warn } from "./warn.ts";

/** `["track", "order_placed"]`: a call that the page has queued before this script was loaded. */
type QueuedCall = readonly [name: string, ...args: unknown[]];
type Calls = Readonly<Record<string, (...args: never[]) => void>>;

const page = window as { tidings?: unknown };
const { tidings: queued = [] } = page;
const script = document.currentScript as HTMLScriptElement;
const { key, user, userHash, theme, closeLabel, url = new URL(".", script.src).href } = script.dataset;

const calls: Calls = { init: (options: Options) => init({ url, ...options }), identify, track, reset };

/** Makes queued calls. Pages may go on pushing calls once the script is loaded. */
const push = (...queued: QueuedCall[]): void => {
  for (const [name, ...args] of queued) {
    (calls[name] ?? (() => warn(`no ${name}`)))(...(args as never[]));
  }
};

// If it is no array, this script was loaded before: the page has it twice.
if (Array.isArray(queued)) {
  page.tidings = { ...calls, push };
  if (key) init({ key, url, closeLabel, theme: theme as Options["theme"] });
  else if (!/init/.test(`${queued}`)) warn("no key");
  if (user !== undefined) identify(user, {}, { userHash });
  push(...queued);
}
