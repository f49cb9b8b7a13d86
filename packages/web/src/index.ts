import type { Options, Proof, Props, Traits } from "./api.ts";
import { createSdk } from "./sdk.ts";

export type { Options, Proof, Props, Traits } from "./api.ts";

const sdk = createSdk(() => import("./show.ts"));

/** Starts Tidings in this page. Only the first call counts; on a server it does nothing. */
export const init = (options: Options): void => sdk.init(options);

/**
 * Names the visitor, with traits to merge into theirs. From now on they get messages.
 * @param userId your id of the user, at most 256 characters
 * @param proof where your project requires it
 */
export const identify = (userId: string, traits?: Traits, proof?: Proof): void =>
  sdk.identify(userId, traits, proof);

/**
 * Records an event of the user. It is stored until the server has it, over reloads and offline times. Events before `identify` wait
 * for it as long as the page lives, and are sent at once where visitors are kept.
 * @param event a stable name such as `order_placed`, at most 80 characters
 * @param options.eventId your id of this event: the same id counts once
 */
export const track = (event: string, props?: Props, options?: { eventId?: string }): void =>
  sdk.track(event, props, options);

/** The user has left (signed out): no messages, and no events until the next `identify`, unless visitors are kept. */
export const reset = (): void => sdk.reset();

/**
 * Says whether this page may know its visitor by a random id before `identify`, as `init` does: true once they agree, false to remove the id
 * and what waits of them from the browser.
 */
export const visitors = (areKept: boolean): void => sdk.visitors(areKept);
