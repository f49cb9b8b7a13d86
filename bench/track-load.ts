import { fillProject } from "./filled.ts";
import { httpRequest } from "./load.ts";
import type { TidingsUnderLoad } from "./processes.ts";

/** Whose events are tracked (so many users, drawn at random), and how many per cent of the requests repeat the `eventId` of an earlier one. */
export type TrackLoad = { users: number; repeatedPercent: number };

const EVENTS = ["page_viewed", "product_viewed", "cart_opened", "checkout_started", "purchase", "searched"];

/** Users and events that are there before, those of the load among them. */
export async function prepareTrack(
  tidings: TidingsUnderLoad,
  besides: { users: number; events: number },
): Promise<void> {
  if (besides.users === 0) return;
  const db = await tidings.connect();
  await fillProject(db, tidings, besides);
  await db.end();
}

/** Repeats are of one of so many events that were sent last. */
const REMEMBERED = 500;

/** Requests that track one event each, with an `eventId`. */
export function trackRequests({ users, repeatedPercent }: TrackLoad): (key: string) => string {
  let sequence = 0;
  let fresh = 0;
  const earlier: string[] = [];
  return (key) => {
    const n = sequence++;
    const again = n % 100 < repeatedPercent ? earlier[n % earlier.length] : undefined;
    if (again !== undefined) return httpRequest("POST", "/api/v1/track", key, again);
    const user = Math.floor(Math.random() * users);
    const made = `{"userId":"user-${user}","event":"${EVENTS[n % EVENTS.length]}","props":{"$pathname":"/products/${n % 500}","price":${n % 90}},"eventId":"load-${n}"}`;
    earlier[fresh++ % REMEMBERED] = made;
    return httpRequest("POST", "/api/v1/track", key, made);
  };
}
