import type { Fetch } from "./types.ts";

/** What every runtime of JavaScript for apps has, or lacks: declared here, because the core knows neither a page nor Node.js. */
type Globals = {
  fetch?: Fetch;
  crypto?: { getRandomValues(bytes: Uint8Array): Uint8Array };
  setTimeout(work: () => void, ms: number): number | { unref(): unknown };
  clearTimeout(timer: unknown): void;
};

const globals = globalThis as unknown as Globals;

/** The global `fetch`; looked up when it is called, since apps put theirs in place after the start. */
export const globalFetch: Fetch = (url, init) => {
  const { fetch } = globals;
  if (fetch === undefined) throw new Error("There is no fetch here: give one");
  return fetch(url, init);
};

/** Random bytes. @throws Error where the runtime makes none */
export function globalRandom(bytes: number): Uint8Array {
  const { crypto } = globals;
  if (crypto === undefined) throw new Error("There is no crypto here: give random");
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/** Runs work after a time; answers how to call it off. */
export function globalAfter(ms: number, work: () => void): () => void {
  const timer = globals.setTimeout(work, ms);
  // What waits is stored: Node.js may end.
  if (typeof timer === "object") timer.unref();
  return () => globals.clearTimeout(timer);
}
