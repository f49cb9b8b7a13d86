import type { Options } from "./api.ts";
import { attempt, createSdk } from "./sdk.ts";
import { warn } from "./warn.ts";

/** The name of the file that draws messages, which has a digest of what is in it; written by the build. */
declare const SHOW_FILE: string;

/** `["track", "order_placed"]`: a call that the page has queued before this script was loaded. */
type QueuedCall = readonly [name: string, ...args: unknown[]];
type Calls = Readonly<Record<string, (...args: never[]) => void>>;

let failures = 0;
const sdk = createSdk(async (server) => {
  // Browsers remember by its address that a script could not be loaded: with another fragment it is another one.
  const { href } = new URL(`${server}/tidings/${SHOW_FILE}#${failures}`, document.baseURI);
  return import(href).catch((error) => {
    failures++;
    throw error;
  });
});

/** The folder of a script, which is the address of its server; undefined where it has no file: a text, blob: or data:. */
function folderOf(src: string | undefined): string | undefined {
  try {
    return new URL(".", src).href;
  } catch {
    return undefined;
  }
}

/**
 * The element of this script, which a module and a text that another script runs cannot ask the browser for. Where it is not found, or
 * has lost its attributes on the way, the page brings key and address with `init`, or the key in the script's address.
 */
function findElement(): HTMLScriptElement | null {
  const own = document.currentScript as HTMLScriptElement | null;
  return folderOf(own?.src) === undefined
    ? (document.querySelector<HTMLScriptElement>('script[src*="/tidings.js"]') ?? own)
    : own;
}

const page = window as { tidings?: unknown };
const { tidings: queued = [] } = page;
const { src = "", dataset = {} } = findElement() ?? {};
const { key = /[?&]key=([^&#]+)/.exec(src)?.[1], user, userHash, theme, closeLabel, visitors } = dataset;
const { url = folderOf(src) } = dataset;

const calls: Calls = { ...sdk, init: (options: Options) => sdk.init({ url, ...options }) };

/** Makes queued calls. Pages may go on pushing calls once the script is loaded. */
const push = (...queued: QueuedCall[]): void => {
  for (const call of queued)
    attempt(() => {
      const [name, ...args] = call;
      (calls[name] ?? (() => warn(`no ${name}`)))(...(args as never[]));
    });
};

// If it is no array, this script was loaded before: the page has it twice.
if (Array.isArray(queued)) {
  page.tidings = { ...calls, push };
  // The attribute alone says yes; frameworks write its value beside it.
  const areKept = (visitors ?? "false") !== "false";
  if (key) sdk.init({ key, url, closeLabel, theme: theme as Options["theme"], visitors: areKept });
  else if (!queued.some((call) => call?.[0] === "init")) warn("no key");
  if (user) sdk.identify(user, {}, { userHash });
  push(...queued);
}
