import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import { type Ctx, endpoint, KIB } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { activePeriods } from "../counting/usage/public.ts";
import { EVENTS_DAYS } from "../users/events/settings.pure.ts";
import { keepsVisitors } from "../users/identities/public.ts";
import { type Acting, act } from "./act.ts";
import { callInstant, happenedAt, reportedBy } from "./calls/instant.pure.ts";
import { callReader } from "./calls/read-call.pure.ts";
import { countJudged, type JudgedCall } from "./counts.ts";
import { fewAtOnce, inOrder } from "./in-order.ts";
import { keepsPages } from "./pages-kept.ts";
import { countRefusedBody } from "./refused-bodies.ts";
import { CALLS, CallsBody, type CallType, MOST_CALLS } from "./schema.ts";

/** Short names of the calls, as browsers send them one by one. */
const SHORT: Readonly<Record<string, CallType>> = {
  i: "identify",
  t: "track",
  p: "page",
  s: "screen",
  g: "group",
  a: "alias",
};
const BATCHES = ["batch", "import", "b"] as const;
const PATHS = [...CALLS, ...BATCHES, ...(["i", "t", "p", "s", "g", "a"] as const)] as const;

const MOST_BYTES = 4_096 * KIB;
/** How old a call from a page or an app is believed to be at most: devices keep what they could not send. */
const MOST_DAYS_OF_PAGES = 7;
/** Calls of one request that are written at the same time. */
const AT_ONCE = 250;
/** Visitors of one request who become users at the same time, each in a transaction of its own. */
const JOINED_AT_ONCE = 4;

/** The calls of a body. @throws ApiError for a batch that is no list, or has too many */
function callsOf(call: string, body: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!BATCHES.some((name) => name === call)) return [{ ...body, type: SHORT[call] ?? call }];
  const { batch } = body;
  if (!Array.isArray(batch)) throw new ApiError("invalid_request", "batch must be a list of calls");
  if (batch.length > MOST_CALLS)
    throw new ApiError("too_large", `batch must have at most ${MOST_CALLS} calls: send fewer at once`);
  return batch;
}

/** Reads and does some of the calls, in the order in which they stand: those of one user are written in it. */
function takeSome(
  ctx: Ctx,
  calls: readonly unknown[],
  { read, acting }: { read: ReturnType<typeof callReader>; acting: Acting },
): Promise<JudgedCall[]> {
  const begin = inOrder();
  return Promise.all(
    calls.map((given): JudgedCall | Promise<JudgedCall> => {
      const judged = read(given);
      const { act: toDo } = judged;
      return toDo === null
        ? judged
        : begin(toDo, () => act(ctx, toDo, acting)).then((further) =>
            further.length === 0 ? judged : { ...judged, remarks: [...judged.remarks, ...further] },
          );
    }),
  );
}

export const sendCalls = endpoint(
  {
    id: "sendCalls",
    method: "POST",
    path: "/v1/{call}",
    tag: "Intake",
    summary: "Take what a library of another service sends",
    description:
      "For the libraries of Segment and RudderStack, and others that speak as they do: point them at this server, with a key of the project as their write key. `identify` and `group` merge traits, `track`, `page` and `screen` record events, once for each `messageId`. Where the project keeps visitors, a call with `anonymousId` alone is that visitor's, and an `identify` with both ids makes them one. The body is JSON under any content type, or gzip of it, of at most 4 MiB when it is unpacked. Answers 200 once it is read: these libraries throw away a whole batch at a single fault. Calls that are not taken, or not as they came, are counted with their reason (`GET /api/v1/intake`). 503 and 429 are sent again by these libraries; nothing counts twice.",
    keys: ["publishable", "secret"],
    budget: "intake",
    tool: "Apps and pages send what their users are and do.",
    bodyLimit: MOST_BYTES,
    countsEscapes: true,
    takesForeign: { keyField: "writeKey", onRefused: countRefusedBody },
    params: z.object({ call: z.enum(PATHS).describe("What the body is: a call, or a batch of calls.") }),
    body: CallsBody,
    example: {
      batch: [
        { type: "identify", userId: "ada", traits: { plan: "pro" }, messageId: "m-1" },
        { type: "track", userId: "ada", event: "upgraded", properties: { amount: 49 }, messageId: "m-2" },
      ],
      sentAt: "2026-11-28T09:00:00Z",
    },
    result: z.object({
      success: z.literal(true).describe("The body was read, and what it says is written."),
    }),
  },
  async (ctx, { params: { call }, body }) => {
    const { app, projectId, now } = ctx;
    const calls = callsOf(call, body);
    const acting: Acting = {
      periodOf: await activePeriods(app, projectId),
      inTurn: fewAtOnce(JOINED_AT_ONCE),
    };
    const mostAgeMs = (ctx.keyKind === "secret" ? EVENTS_DAYS.most : MOST_DAYS_OF_PAGES) * DAY_MS;
    const sentAt = callInstant(body.sentAt);
    const read = callReader({
      timeOf: (call) => happenedAt({ ...reportedBy(call, sentAt), now, mostAgeMs }),
      keepsPages: await keepsPages(app, projectId),
      keepsVisitors: await keepsVisitors(app, projectId),
      beside: body,
    });
    const judged: JudgedCall[] = [];
    for (let at = 0; at < calls.length; at += AT_ONCE) {
      if (at > 0) await othersTurn();
      judged.push(...(await takeSome(ctx, calls.slice(at, at + AT_ONCE), { read, acting })));
    }
    await countJudged(app, projectId, judged, now);
    return { success: true as const };
  },
);
