import type { Options, Proof, Props, Traits, User } from "./api.ts";
import { automaticTraits } from "./context.ts";
import { watchEntries } from "./entries.ts";
import { createFeed, type LoadShow } from "./feed.ts";
import { beside, jsonOf, userIdOf } from "./given.ts";
import { newId } from "./ids.ts";
import { callOf, createQueue } from "./queue.ts";
import { createStore } from "./store.ts";
import { createTransport, isFeedback } from "./transport.ts";
import { warn } from "./warn.ts";
import { isWithin } from "./within.ts";

/** Tidings in one page, for one project. */
export type Client = {
  identify(userId: string, traits?: Traits, proof?: Proof): void;
  track(event: string, props?: Props, eventId?: string): void;
  reset(): void;
};

const VISIT_MS = 30 * 60_000;

export function createClient(options: Options, load: LoadShow): Client {
  const { key, url = "" } = options;
  const server = url.replace(/\/+$/, "");
  const transport = createTransport(server, key);
  const project = key.slice(-12);
  const prefix = `tidings:${project}:`;
  const lastIdentify = `tidings.identify:${project}`;
  const store = createStore();
  const queue = createQueue(store, prefix, transport.post);
  const feed = createFeed(options, transport, queue, () => load(server));
  let user: User | undefined;
  let identified = "";
  /** Events of a visitor who is not known yet. */
  let early: Record<string, unknown>[] = [];

  addEventListener("online", queue.flush);
  addEventListener("pagehide", queue.leave);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && queue.leave());
  addEventListener("storage", ({ key: changed, newValue }) => {
    // Read from the event, and not from the store: the other tab may have sent and removed the call already.
    const call = changed?.startsWith(prefix) ? callOf(newValue) : null;
    if (call !== null && isFeedback(call)) feed.resolved(call.path, call.body.type);
  });
  watchEntries(() => feed.enter(user));
  queue.flush();

  /** Whether an identify has to be sent. Every page identifies its visitor, and within a visit the same one would be a wasted request. */
  function isNews(body: string): boolean {
    const [, at, before] = /^(\d+) (.*)$/s.exec(store.get(lastIdentify) ?? "") ?? [];
    if (before === body && isWithin(VISIT_MS, Number(at))) return false;
    store.set(lastIdentify, `${Date.now()} ${body}`);
    return true;
  }

  return {
    identify(given, traits, proof) {
      const id = userIdOf(given);
      if (id === null) return warn(`no user id: ${String(given)}`);
      const known = { userId: id, userHash: proof?.userHash || undefined };
      const text = jsonOf({ ...known, traits: beside(automaticTraits(), traits) });
      // Frameworks that run effects twice call this twice.
      if (text === identified) return;
      identified = text;
      if (isNews(text)) queue.add({ path: "/identify", body: JSON.parse(text) });
      const isNew = user?.userId !== id;
      user = known;
      for (const event of early.splice(0)) queue.add({ path: "/track", body: { userId: id, ...event } });
      if (isNew) feed.enter(known);
      else feed.reconsider(known);
    },
    track(event, props, eventId = newId()) {
      const { pathname } = location;
      // Query and hash are left out, because they may contain tokens and addresses of people.
      const page = { $current_url: origin + pathname, $pathname: pathname };
      // Copied now, because the page may change the object later, and because props that are no JSON must fail here.
      const body = JSON.parse(jsonOf({ event, props: beside(page, props), eventId }));
      if (user === undefined) early.push(body);
      else queue.add({ path: "/track", body: { userId: user.userId, ...body } });
    },
    reset() {
      user = undefined;
      identified = "";
      store.delete(lastIdentify);
      // Sends waiting calls at once, then removes everything that tells of the visitor or proves who they are.
      queue.leave();
      for (const entry of store.keys(prefix))
        if (/"\/identify"|"userHash"/.test(store.get(entry) ?? "")) store.delete(entry);
      early = [];
      feed.enter(undefined);
    },
  };
}
