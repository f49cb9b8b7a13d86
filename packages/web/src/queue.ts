import { newId } from "./ids.ts";
import type { Store } from "./store.ts";
import type { Call } from "./transport.ts";
import { isWithin } from "./within.ts";

/** Calls on their way to the server. They survive reloads and offline times, and are sent one after another. */
export type Queue = {
  add(call: Call): void;
  /** Calls that are not acknowledged yet, oldest first. */
  waiting(): Call[];
  /** Resolves once no call waits. */
  drained(): Promise<void>;
  /** Removes waiting calls, and answers which: they are not sent again. */
  remove(isMeant: (call: Call) => unknown): Call[];
  /** Tries now, without waiting for the time of the next try. */
  flush(): void;
  /** Sends waiting calls at once and in parallel, because the page may be about to end. */
  leave(): void;
};

const MAX_WAITING = 1_000;
const MAX_AGE_MS = 7 * 86_400_000;
/** How often a call is tried once it is that old by the device's clock, which may be wrong: the server may be there now. */
const LAST_TRIES = 100;
const MAX_BACKOFF_MS = 60_000;

/** The most calls that are sent in parallel: a long queue must not flood the server each time a tab is hidden. */
const MAX_AT_ONCE = 20;

/** How long a tab waits for its turn: another may be frozen, or another script may have the lock. */
const MAX_TURN_MS = 15_000;

/** Tabs of one site share the store; one of them sends at a time. Without its turn a call may leave twice, with the same id. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  const signal = AbortSignal.timeout(MAX_TURN_MS);
  // A sandboxed frame gets no lock, and needs none: it shares its store with no other page.
  await (locks === undefined ? work() : locks.request(name, { signal }, work).catch(work));
}

/** A call from its text in the store; null for any other text, since other scripts can write there. */
export function callOf(text: string | null): Call | null {
  try {
    const call = JSON.parse(text ?? "");
    const { userId, anonymousId } = call.body;
    return typeof call.path === "string" && typeof (userId ?? anonymousId) === "string" ? call : null;
  } catch {
    return null;
  }
}

/** When an entry was made, from its key: `<prefix><epoch ms, base 36>…`. Until 2059 that has 8 characters. */
const timeOf = (key: string, prefix: string): number =>
  Number.parseInt(key.slice(prefix.length, prefix.length + 8), 36) || 0;

/**
 * @param prefix of this project's entries in the store
 * @param post sends one call; answers as `Transport.post`
 */
export function createQueue(
  store: Store,
  prefix: string,
  post: (call: Call) => Promise<number | null>,
): Queue {
  const underWay = new Set<string>();
  const waiters: (() => void)[] = [];
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let running = false;

  const read = (key: string): Call | null => {
    const call = callOf(store.get(key));
    if (call === null) store.delete(key);
    return call;
  };
  const unsent = (): string[] => store.keys(prefix).filter((key) => !underWay.has(key));

  /** Sends a call. Answers how long to wait before the next try, or null when the call is finished. */
  async function send(key: string): Promise<number | null> {
    const call = read(key);
    if (call === null || underWay.has(key)) return null;
    underWay.add(key);
    const retryMs = await post(call);
    underWay.delete(key);
    if (retryMs === null) {
      store.delete(key);
      failures = 0;
      return null;
    }
    const { lateTries = 0 } = call;
    if (lateTries >= LAST_TRIES) store.delete(key);
    // Not where it was removed meanwhile, for a visitor who has left.
    else if (store.get(key) !== null && !isWithin(MAX_AGE_MS, timeOf(key, prefix)))
      store.set(key, JSON.stringify({ ...call, lateTries: lateTries + 1 }));
    const backoff = Math.min(1_000 * 2 ** failures++, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
    return Math.max(retryMs, backoff);
  }

  const later = (delay: number): void => {
    retry ??= setTimeout(flush, delay);
  };

  async function drain(): Promise<void> {
    for (let keys = unsent(); keys.length > 0; keys = unsent()) {
      for (const key of keys) {
        const delay = await send(key);
        if (delay !== null) return later(delay);
      }
    }
    if (underWay.size === 0) for (const resolve of waiters.splice(0)) resolve();
  }

  function flush(): void {
    clearTimeout(retry);
    retry = undefined;
    if (running) return;
    running = true;
    const done = (): void => {
      running = false;
      // A call, or a caller of `drained`, may have come after the queue was read last.
      const isAwaited = waiters.length > 0 && underWay.size === 0;
      if (retry === undefined && (isAwaited || unsent().length > 0)) flush();
    };
    inTurn(prefix, drain).then(done, done);
  }

  return {
    add(call) {
      const keys = store.keys(prefix);
      // After the last one that waits, also where the clock was set back meanwhile: the order of calls is the order of their keys.
      const time = Math.max(Date.now(), timeOf(keys.at(-1) ?? "", prefix) + 1);
      for (const old of keys.slice(0, -MAX_WAITING)) store.delete(old);
      store.set(prefix + time.toString(36).padStart(8, "0") + newId(), JSON.stringify(call));
      if (retry === undefined) flush();
    },
    waiting: () => store.keys(prefix).flatMap((key) => read(key) ?? []),
    drained: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
        if (retry === undefined) flush();
      }),
    remove: (isMeant) =>
      store.keys(prefix).flatMap((key) => {
        const call = read(key);
        if (call === null || !isMeant(call)) return [];
        store.delete(key);
        return call;
      }),
    flush,
    leave() {
      // The server refuses a click before its impression, so calls to a path that is under way stay for the next page.
      const paths = new Set([...underWay].map((key) => read(key)?.path));
      for (const key of unsent().slice(0, MAX_AT_ONCE)) {
        const path = read(key)?.path;
        if (path !== "/track" && paths.has(path)) continue;
        paths.add(path);
        void send(key).then((delay) => (delay === null ? flush() : later(delay)));
      }
    },
  };
}
