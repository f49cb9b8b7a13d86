import { newId } from "./ids.ts";
import type { Store } from "./store.ts";
import type { Call, Outcome } from "./transport.ts";

/** Calls on their way to the server. They survive reloads and offline spells, and leave one after another. */
export type Queue = {
  add(call: Call): void;
  /** What is not acknowledged yet, oldest first. */
  waiting(): Call[];
  /** Resolves once nothing waits. */
  drained(): Promise<void>;
  /** Tries now, whatever was agreed with a failing server. */
  flush(): void;
  /** Sends at once and side by side what has not left yet: the page may be gone in a moment. */
  leave(): void;
};

const MAX_WAITING = 1_000;
const MAX_AGE_MS = 7 * 86_400_000;
const MAX_BACKOFF_MS = 60_000;

/** So many leave together: a long queue must not become a flood each time a tab goes to the back. */
const MAX_AT_ONCE = 20;

/** Tabs of one site share the store; one of them sends at a time. Without locks a call may leave twice, with the same id. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  // Refused in a sandboxed frame, which shares nothing.
  await (locks === undefined ? work() : locks.request(name, work).catch(work));
}

/** A call from its text in the store; null where that says something else, which anyone may have written. */
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

  /** Answers how long to wait before the next try, null when the call is done with. */
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
      // A call, or a caller of `drained`, may have come after the last look.
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
      // A click is refused while its impression is on the way; the next page sends what is left.
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
