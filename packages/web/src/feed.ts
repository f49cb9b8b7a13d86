import type { Options, User } from "./api.ts";
import { whenVisible } from "./entries.ts";
import { newId } from "./ids.ts";
import type { Message } from "./message.ts";
import type { Queue } from "./queue.ts";
import type { Transport } from "./transport.ts";
import { isWithin } from "./within.ts";

type ShowModule = typeof import("./show.ts");

/** Loads what draws messages. `server` is the address of the Tidings server, without a slash at its end. */
export type LoadShow = (server: string) => Promise<ShowModule>;

/** Shows at most one message per page. */
export type Feed = {
  /** A page was entered, or its visitor became known: removes the message that is shown, and asks the server for others. */
  enter(user: User | undefined): void;
  /** The visitor got more traits: asks the server again, unless this page has shown a message. */
  reconsider(user: User): void;
  /** Another tab reported feedback: removes a message here that was clicked or dismissed there. */
  resolved(path: string, type: unknown): void;
};

/** After this time an answer of the server may be outdated. */
const DECISION_MS = 10_000;
const RETRY_MS = 1_000;
/** How long the request for messages waits for calls that are still on their way to the server. */
const MAX_WAIT_MS = 2_000;

const feedbackPath = (deliveryId: string): string => `/deliveries/${deliveryId}/event`;

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param load loads what draws messages, once there is one */
export function createFeed(
  options: Options,
  transport: Transport,
  queue: Queue,
  load: () => Promise<ShowModule>,
): Feed {
  /** Feedback paths of messages that were resolved here, whether or not the server knows yet. */
  const resolved = new Set<string>();
  let entry = new AbortController();
  /** The message of this page, drawn or waiting for its place, and whether this page has shown one. */
  let openPath = "";
  let hasShown = false;
  let remove: (() => void) | null = null;

  function leave(): void {
    entry.abort();
    entry = new AbortController();
    remove?.();
    remove = null;
    openPath = "";
    hasShown = false;
  }

  function present({ show }: ShowModule, { deliveryId, content }: Message, user: User): boolean {
    const path = feedbackPath(deliveryId);
    if (resolved.has(path)) return false;
    const report = (type: "shown" | "clicked" | "dismissed") => (): void => {
      if (type === "shown") hasShown = true;
      else resolved.add(path);
      queue.add({ path, body: { ...user, type, feedbackId: newId() } });
    };
    remove = show(content, options, {
      shown: report("shown"),
      clicked: report("clicked"),
      dismissed: report("dismissed"),
      // By then the answer is old, and so the server is asked again.
      uncovered: () => enter(user),
    });
    if (remove !== null) openPath = path;
    return remove !== null;
  }

  /** The messages for this page; null when the server did not answer in time. */
  async function ask({ userId, userHash }: User, signal: AbortSignal): Promise<Message[] | null> {
    // Events are sent first, because messages may depend on them. A call that cannot get through must not keep messages away for long.
    await Promise.race([queue.drained(), after(MAX_WAIT_MS)]);
    for (const { path, body } of queue.waiting()) if (body.type !== "shown") resolved.add(path);
    for (let wait = RETRY_MS; !signal.aborted; wait *= 2) {
      const query = { userId, path: location.pathname };
      const answer = await transport.get("/messages", query, signal, userHash);
      if (answer !== null) return (answer as { messages: Message[] }).messages;
      await after(wait);
    }
    return null;
  }

  async function decide(user: User, { signal }: AbortController): Promise<void> {
    do {
      await whenVisible();
      if (signal.aborted) return;
      const deadline = new AbortController();
      signal.addEventListener("abort", () => deadline.abort());
      const begun = Date.now();
      const timer = setTimeout(() => deadline.abort(), DECISION_MS);
      const messages = await ask(user, deadline.signal);
      clearTimeout(timer);
      if (!messages?.length) return;
      // Where this fails, nothing was shown and nothing counted: the next page asks again, and loads again.
      const module = await load();
      if (signal.aborted || !isWithin(DECISION_MS, begun)) return;
      if (document.visibilityState === "hidden") continue;
      messages.some((message) => present(module, message, user));
      return;
    } while (!signal.aborted);
  }

  function enter(user: User | undefined): void {
    leave();
    if (user !== undefined) decide(user, entry).catch(() => undefined);
  }

  return {
    enter,
    reconsider(user) {
      if (!hasShown) enter(user);
    },
    resolved(path, type) {
      if (type === "shown") return;
      resolved.add(path);
      if (path === openPath) remove?.();
    },
  };
}
