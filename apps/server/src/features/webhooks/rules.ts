const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long an attempt may take. Standard Webhooks asks for 15 to 30 seconds. */
export const ANSWER_MS = 15 * SECOND_MS;

/**
 * How long to wait after each attempt that failed: the schedule of Standard Webhooks 1.0.0, section "deliverability and reliability". After
 * the tenth attempt, about three days later, a message is given up.
 */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
/** Waits differ by so much, so that messages which failed together do not come back together. */
const SPREAD = 0.2;

/** The longest that a message waits for its next attempt. */
export const LONGEST_WAIT_MS = 24 * HOUR_MS * (1 + SPREAD);

/** A webhook is switched off once no attempt has succeeded for so long. */
export const FAILING_MS = 5 * DAY_MS;

/** What came of a request: an answer, or why there was none. `retryAfterMs`: how long the other side wants to be left alone. */
export type Reply =
  | { status: number; answer: string; retryAfterMs: number | null }
  | { status: null; fault: string };

/** The state of a message after an attempt, and when it is due again (epoch ms). `fault` is why it failed, for people. */
export type AfterReply = {
  state: "delivered" | "waiting" | "given_up";
  dueAt: number | null;
  fault: string | null;
  /** The webhook does not exist any more: nothing else is to be sent there. */
  isGone: boolean;
};

const isTaken = (reply: Reply): boolean => reply.status !== null && reply.status >= 200 && reply.status < 300;

function faultOf(reply: Reply): string {
  if (reply.status === null) return reply.fault;
  if (reply.status >= 300 && reply.status < 400)
    return `It answered ${reply.status}, which leads elsewhere: redirects are not followed, so set the address itself.`;
  if (reply.status === 410) return "It answered 410: it does not exist any more.";
  return `It answered ${reply.status}.`;
}

/**
 * What becomes of a message by the reply to an attempt. @param tries attempts before this one @param chance 0 to 1, by which the next wait
 * differs from the schedule
 */
export function afterReply(
  reply: Reply,
  { tries, now, chance }: { tries: number; now: number; chance: number },
): AfterReply {
  if (isTaken(reply)) return { state: "delivered", dueAt: null, fault: null, isGone: false };
  const isGone = reply.status === 410;
  const fault = faultOf(reply);
  const wait = WAITS_MS[tries];
  if (wait === undefined) return { state: "given_up", dueAt: null, fault, isGone };
  const spread = wait * (1 - SPREAD + 2 * SPREAD * chance);
  const wanted = reply.status === null ? 0 : (reply.retryAfterMs ?? 0);
  const dueAt = now + Math.round(Math.min(Math.max(spread, wanted), LONGEST_WAIT_MS));
  return { state: "waiting", dueAt, fault, isGone };
}

/** The wait that `Retry-After` asks for (RFC 9110, 10.2.3), seconds or a date; null where it says none. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Number(header) * SECOND_MS;
  // Date.parse finds a date in nearly everything that has a number in it.
  const at = /^[A-Z][a-z]{2,8}, .{9,30} GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** How long a process may keep a message to send it. Longer than a few attempts take, for those that wait behind others. */
export const LEASE_MS = 2 * MINUTE_MS;

/** Requests to one webhook that are under way at once; where it fails, one at a time until one succeeds. */
export const IN_FLIGHT = 20;
/** Messages of one webhook that are leased at once. */
export const LEASED_AT_ONCE = 100;
