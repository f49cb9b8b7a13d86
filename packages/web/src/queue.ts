import { newId } from "./ids.ts";
import type { Store } from "./store.ts";
import type { Call, Outcome } from "./transport.ts";

/** Calls on their way to the server. They survive reloads and offline times, and are sent one after another. */
export type Queue = {
  add(call: Call): void;
  /** Calls that are not acknowledged yet, oldest first. */
  waiting(): Call[];
  /** Resolves once no call waits. */
  drained(): Promise<void>;
  /** Tries now, without waiting for the time of the next try. */
  flush(): void;
  /** Sends waiting calls at once and in parallel, because the page may be about to end. */
  leave(): void;
};

const MAX_WAITING = 1_000;
const MAX_AGE_MS = 7 * 86_400_000;
const MAX_BACKOFF_MS = 60_000;

/** The most calls that are sent in parallel: a long queue must not flood the server each time a tab is hidden. */
const MAX_AT_ONCE = 20;

/** Tabs of one site share the store; one of them sends at a time. Without locks a call may leave twice, with the same id. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  // A sandboxed frame gets no lock, and needs none: it shares its store with no other page.
  await (locks === undefined ? work() : locks.request(name, work).catch(work));
}

/** A call from its text in the store; null for any other text, since other scripts can write there. */
export function callOf(text: string | null): Call | null {
  try {
    const call = JSON.parse(text ?? "");
    return typeof call.path === "string" && typeof call.body.userId === "string" ? call : null;
  } catch {
    return null;
  }
}

/** When an entry was made, from its key: `<prefix><epoch ms, base 36>…`. Until 2059 that has 8 characters. */
const timeOf = (key: string, prefix: string): number =>
  Number.parseInt(key.slice(prefix.length, prefix.length + 8), 36);

/**
 * @param prefix of this project's entries in the store
 * @param post sends one call
 */
export function createQueue(store: Store, prefix: string, post: (call: Call) => Promise<Outcome>): Queue {
  const underWay = new Set<string>();
  const waiters: (() => void)[] = [];
  let added = 0;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let running = false;

  const read = (key: string): Call | null => {
    const call = callOf(store.get(key));
    if (call === null) store.delete(key);
    return call;
  };
  const unsent = (): string[] => {
    const keys = store.keys(prefix);
    for (const key of keys) if (timeOf(key, prefix) < Date.now() - MAX_AGE_MS) store.delete(key);
    return keys.filter((key) => !underWay.has(key));
  };

  /** Sends a call. Answers how long to wait before the next try, or null when the call is finished. */
  async function send(key: string): Promise<number | null> {
    const call = read(key);
    if (call === null || underWay.has(key)) return null;
    underWay.add(key);
    const outcome = await post(call);
    underWay.delete(key);
    if (outcome === "done") {
      store.delete(key);
      failures = 0;
      return null;
    }
    const backoff = Math.min(1_000 * 2 ** failures++, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
    return Math.max(outcome.retryMs, backoff);
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
      const key = prefix + Date.now().toString(36) + (added++).toString(36).padStart(4, "0") + newId();
      for (const old of store.keys(prefix).slice(0, -MAX_WAITING)) store.delete(old);
      store.set(key, JSON.stringify(call));
      if (retry === undefined) flush();
    },
    waiting: () => store.keys(prefix).flatMap((key) => read(key) ?? []),
    drained: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
        if (retry === undefined) flush();
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
