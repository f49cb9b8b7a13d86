import type { Options, Proof, Props, Traits, User, Viewer } from "./api.ts";
import { automaticTraits } from "./context.ts";
import { watchEntries } from "./entries.ts";
import { createFeed, type LoadShow } from "./feed.ts";
import { beside, jsonOf, userIdOf } from "./given.ts";
import { newId } from "./ids.ts";
import { callOf, createQueue } from "./queue.ts";
import { createStore, pairIn } from "./store.ts";
import { createTransport, isFeedback } from "./transport.ts";
import { giveVisitor } from "./visitor.ts";
import { warn } from "./warn.ts";
import { isWithin } from "./within.ts";

/** Tidings in one page, for one project. */
export type Client = {
  identify(userId: string, traits?: Traits, proof?: Proof): void;
  track(event: string, props?: Props, options?: { eventId?: string }): void;
  reset(): void;
  visitors(areKept: boolean): void;
};

const VISIT_MS = 30 * 60_000;

export function createClient(options: Options, load: LoadShow): Client {
  const { key, url = "" } = options;
  const server = url.replace(/\/+$/, "");
  const transport = createTransport(server, key, withoutVisitors);
  const project = key.slice(-12);
  const prefix = `tidings:${project}:`;
  const lastIdentify = `tidings.identify:${project}`;
  const ownVisitor = `tidings.visitor:${project}`;
  const store = createStore();
  const queue = createQueue(store, prefix, transport.post);
  const feed = createFeed(options, transport, queue, () => load(server));
  let { visitors } = options;
  let user: User | undefined;
  let identified = "";
  /** Events from before the page knows whose they are. */
  let early: Record<string, unknown>[] = [];

  addEventListener("online", queue.flush);
  addEventListener("pagehide", queue.leave);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && queue.leave());
  addEventListener("storage", ({ key: changed, newValue }) => {
    // Read from the event, and not from the store: the other tab may have sent and removed the call already.
    const call = changed?.startsWith(prefix) ? callOf(newValue) : null;
    if (call !== null && isFeedback(call)) feed.resolved(call.path, call.body.type);
    // Another tab has removed the id: the visitor does not want it.
    if (changed === ownVisitor && newValue === null) withoutVisitors();
  });
  watchEntries(() => feed.enter(viewer()));
  queue.flush();

  function viewer(): Viewer | undefined {
    if (user !== undefined || !visitors) return user;
    const [id = giveVisitor(store, ownVisitor, "")] = pairIn(store, ownVisitor);
    return { anonymousId: id };
  }

  function record(event: Record<string, unknown>): void {
    const known = viewer();
    // Events are not proven.
    if (known) queue.add({ path: "/track", body: { ...known, userHash: undefined, ...event } });
    else early.push(event);
  }

  /** Has the server identify a user where that is news to it, as this browser's visitor where visitors are kept. */
  function sendIdentify(body: User, isNews: boolean): void {
    const isLinked = !visitors || pairIn(store, ownVisitor)[1] === body.userId;
    if (isLinked && !isNews) return;
    const anonymousId = visitors ? giveVisitor(store, ownVisitor, body.userId) : undefined;
    queue.add({ path: "/identify", body: { ...body, anonymousId } });
  }

  /** Removes the visitor's id from the browser, with what waits of them. A user's own identify goes on without it. */
  function withoutVisitors(): void {
    store.delete(ownVisitor);
    for (const { path, body } of queue.remove((call) => call.body.anonymousId))
      if (body.userId) queue.add({ path, body: { ...body, anonymousId: undefined } });
    if (visitors) feed.enter(user);
    visitors = false;
  }

  /** Whether an identify has to be sent. Every page identifies its visitor, and within a visit the same one would be a wasted request. */
  function isNews(body: string): boolean {
    const [at, before] = pairIn(store, lastIdentify);
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
      sendIdentify(JSON.parse(text), isNews(text));
      user = known;
      early.splice(0).forEach(record);
      feed.reconsider(known);
    },
    track(event, props, options) {
      const { pathname } = location;
      // Query and hash are left out, because they may contain tokens and addresses of people.
      const page = { $current_url: origin + pathname, $pathname: pathname };
      // Copied now, because the page may change the object later, and because props that are no JSON must fail here.
      const eventId = options?.eventId ?? newId();
      record(JSON.parse(jsonOf({ event, props: beside(page, props), eventId })));
    },
    reset() {
      // A page that resets whenever no user is signed in keeps its visitor: an id is renewed once it is a user's.
      const isOther = user !== undefined || pairIn(store, ownVisitor)[1];
      user = undefined;
      identified = "";
      store.delete(lastIdentify);
      // Sends waiting calls at once, then removes everything that tells of the visitor or proves who they are.
      queue.leave();
      queue.remove(
        ({ path, body }) => path === "/identify" || body.userHash || (isOther && body.anonymousId),
      );
      early = [];
      if (!isOther) return;
      if (visitors) giveVisitor(store, ownVisitor, "");
      else store.delete(ownVisitor);
      feed.enter(viewer());
    },
    visitors(areKept) {
      if (!areKept) return withoutVisitors();
      if (visitors) return;
      visitors = true;
      if (user) return sendIdentify(user, false);
      early.splice(0).forEach(record);
      feed.enter(viewer());
    },
  };
}
