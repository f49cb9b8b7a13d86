import type { Options, Proof, Props, Traits } from "./api.ts";
import { type Client, createClient } from "./client.ts";
import { warn } from "./warn.ts";

export type { Options, Proof, Props, Traits } from "./api.ts";

let client: Client | undefined;
/** Calls that were made before `init`: a child component's effects run before its parent's. */
const early: ((client: Client) => void)[] = [];

/** Whether this runs in a page, and not where a framework renders on its server. */
const isPage = (): boolean => typeof document !== "undefined";

/** Catches every error, because a fault of the SDK must not break the page. */
function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    warn(error);
  }
}

const tell = (act: (client: Client) => void): void =>
  attempt(() => {
    if (client !== undefined) act(client);
    else if (isPage()) early.push(act);
  });

/** Starts Tidings in this page. Only the first call counts; on a server it does nothing. */
export function init(options: Options): void {
  if (client !== undefined || !isPage()) return;
  attempt(() => {
    client = createClient(options);
  });
  for (const act of early.splice(0)) tell(act);
}

/**
 * Names the visitor, with traits to merge into theirs. From now on they get messages.
 * @param userId your id of the user, at most 256 characters
 * @param proof where your project requires it
 */
export const identify = (userId: string, traits?: Traits, proof?: Proof): void =>
  tell((known) => known.identify(userId, traits, proof));

/**
 * Records an event of the user. It is stored until the server has it, over reloads and offline times. Events before `identify` wait
 * for it as long as the page lives.
 * @param event a stable name such as `order_placed`, at most 80 characters
 * @param options.eventId your id of this event: the same id counts once
 */
export const track = (event: string, props?: Props, options?: { eventId?: string }): void =>
  tell((known) => known.track(event, props, options?.eventId));

/** The user has left (signed out): no messages, and no events until the next `identify`. */
export const reset = (): void => tell((known) => known.reset());
