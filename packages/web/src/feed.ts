import type { Options, User, Viewer } from "./api.ts";
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
  /** A page was entered, or is another person's: removes the message that is shown, and asks the server for others. */
  enter(viewer: Viewer | undefined): void;
  /**
   * The visitor of the page is known as a user now, or the user got more traits: asks the server again, unless this page has shown a message.
   * One that is still open to a visitor stays where the user has it as well.
   */
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
  let viewer: Viewer | undefined;
  /** The message of this page, drawn or waiting for its place: where its feedback goes, and for whom; what is known of it otherwise. */
  let openPath = "";
  let openTo: Viewer | undefined;
  let look = "";
  let remove: (() => void) | null = null;
  /** Whether this page has shown a message. */
  let hasShown = false;

  function close(): void {
    remove?.();
    remove = null;
  }

  function present({ show }: ShowModule, message: Message): boolean {
    const { deliveryId, ...rest } = message;
    const path = feedbackPath(deliveryId);
    if (resolved.has(path)) return false;
    const before = look;
    look = JSON.stringify(rest);
    openPath = path;
    openTo = viewer;
    // A visitor who is a user now has the same message by another delivery: it stays open, or closed.
    if (look === before) return remove !== null;
    close();
    const report = (type: "shown" | "clicked" | "dismissed") => (): void => {
      if (type === "shown") hasShown = true;
      else {
        resolved.add(openPath);
        remove = null;
      }
      queue.add({ path: openPath, body: { ...openTo, type, feedbackId: newId() } });
    };
    remove = show(message.content, options, {
      shown: report("shown"),
      clicked: report("clicked"),
      dismissed: report("dismissed"),
      // By then the answer is old, and so the server is asked again.
      uncovered: () => enter(viewer),
    });
    return remove !== null;
  }

  /** The messages for this page; null when the server did not answer in time. */
  async function ask(viewer: Viewer, signal: AbortSignal): Promise<Message[] | null> {
    // Events are sent first, because messages may depend on them. A call that cannot get through must not keep messages away for long.
    await Promise.race([queue.drained(), after(MAX_WAIT_MS)]);
    // A user who was a visitor is one with them first: the server would have them meet the same campaign twice.
    if (viewer.userId && queue.waiting().some(({ body }) => body.anonymousId)) await queue.drained();
    for (const { path, body } of queue.waiting()) if (body.type !== "shown") resolved.add(path);
    for (let wait = RETRY_MS; !signal.aborted; wait *= 2) {
      const messages = await transport.messages(viewer, location.pathname, signal);
      if (messages !== null) return messages;
      await after(wait);
    }
    return null;
  }

  async function decide(viewer: Viewer, { signal }: AbortController): Promise<void> {
    do {
      await whenVisible();
      if (signal.aborted) return;
      const deadline = new AbortController();
      signal.addEventListener("abort", () => deadline.abort());
      const begun = Date.now();
      const timer = setTimeout(() => deadline.abort(), DECISION_MS);
      const messages = await ask(viewer, deadline.signal);
      clearTimeout(timer);
      if (signal.aborted || messages === null) return;
      if (messages.length === 0) return close();
      // Where this fails, nothing was shown and nothing counted: the next page asks again, and loads again.
      const module = await load();
      if (signal.aborted || !isWithin(DECISION_MS, begun)) return;
      if (document.visibilityState === "hidden") continue;
      if (!messages.some((message) => present(module, message))) close();
      return;
    } while (!signal.aborted);
  }

  /** Asks for messages, in place of what was asked before. */
  function consider(next: Viewer | undefined): void {
    entry.abort();
    entry = new AbortController();
    viewer = next;
    if (next) decide(next, entry).catch(() => undefined);
  }

  function enter(next: Viewer | undefined): void {
    close();
    look = "";
    hasShown = false;
    consider(next);
  }

  return {
    enter,
    reconsider(user) {
      if (viewer?.userId && viewer.userId !== user.userId) enter(user);
      else if (!hasShown || (remove && viewer?.anonymousId)) consider(user);
      viewer = user;
    },
    resolved(path, type) {
      if (type === "shown") return;
      resolved.add(path);
      if (path === openPath) close();
    },
  };
}
