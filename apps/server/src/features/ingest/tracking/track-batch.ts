import { z } from "zod";
import { eventName } from "../../../domain/fields.ts";
import { Unkept } from "../../../platform/http/body/body.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { explainIssue } from "../../../platform/http/contract/explain-issue.ts";
import { instant } from "../../../platform/http/contract/fields.ts";
import { type ItemResult, itemResults, withCounts } from "../../../platform/http/contract/item-results.ts";
import { lookAlikeFinder } from "../../../platform/http/contract/look-alikes.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { NO_SHAPE } from "../../counting/rollups/rules.ts";
import { EVENT_LOOK_ALIKES, eventsKeptFor, timeLookAlikes } from "../../users/events/public.ts";
import { EventId, EventProps } from "../../users/events/schema.ts";
import { EVENTS_DAYS } from "../../users/events/settings.pure.ts";
import { actAs } from "../../users/identities/public.ts";
import { namingOne, personFields } from "../../users/identities/schema.ts";
import { EVENT_ID_CONFLICT, recordEvent, tooManyNames } from "./record.ts";
import { IgnoredEvent, isServerEvent } from "./server-events.ts";

const MAX_EVENTS = 500;

const BatchEvent = namingOne(
  z.object({
    ...personFields,
    event: eventName.describe("Name of the event."),
    props: EventProps.optional(),
    eventId: EventId.optional(),
    ts: instant
      .optional()
      .describe(
        `When it happened, with the secret key only: epoch milliseconds, or ISO-8601 with an offset; not in the future, at most ${EVENTS_DAYS.most} days old, and no older than the project keeps events. One from before the current period of active users is history: nobody is active for it.`,
      ),
  }),
);

const misread = lookAlikeFinder(BatchEvent, {
  ...EVENT_LOOK_ALIKES,
  ...timeLookAlikes("did you mean ts?"),
});

/** Items are parsed one by one, so that each gets its own answer; the contract still describes their shape. */
const { $schema: _, ...eventShape } = z.toJSONSchema(BatchEvent, { io: "input", unrepresentable: "any" });
const describedOnly = z.unknown().meta(eventShape);

type Taken = { ok: true; ignored?: true };

/** Why an event may not carry its time, or null. */
async function timeFault(ctx: Ctx, ts: number | undefined): Promise<string | null> {
  if (ts === undefined) return null;
  if (ctx.keyKind !== "secret") return "ts needs the secret key";
  if (ts > ctx.now) return "ts must not be in the future";
  const age = ctx.now - ts;
  if (age > EVENTS_DAYS.most * DAY_MS) return `ts must be at most ${EVENTS_DAYS.most} days old`;
  const keptDays = await eventsKeptFor(ctx.app, ctx.projectId, age);
  return keptDays !== null && age > keptDays * DAY_MS
    ? `ts must be at most ${keptDays} days old, which is how long this project keeps events (retention.eventsDays)`
    : null;
}

/** Records one item. An item that is refused does not stop the others. */
async function recordItem(ctx: Ctx, item: unknown): Promise<ItemResult<Taken>> {
  if (item instanceof Unkept) return { ok: false, error: item.fault("event") };
  const parsed = BatchEvent.safeParse(item, { reportInput: true });
  if (!parsed.success) return { ok: false, error: explainIssue(parsed.error, "event") };
  const { userId, anonymousId, event, props, eventId, ts } = parsed.data;
  const fault = misread(item) ?? (await timeFault(ctx, ts));
  if (fault !== null) return { ok: false, error: fault };
  if (isServerEvent(ctx, event)) return { ok: true, ignored: true };
  try {
    const recorded = await actAs(ctx.app, ctx.projectId, { userId, anonymousId }, (person) =>
      recordEvent(ctx.app, {
        ...person,
        name: event,
        props: props?.json ?? null,
        shape: props?.shape ?? NO_SHAPE,
        ts: ts ?? ctx.now,
        receivedAt: ctx.now,
        eventId: eventId ?? newUuid(ctx.now),
      }),
    );
    if (recorded === "refused")
      return { ok: false, error: tooManyNames(ctx.app.config.limits.userEventNames) };
    return recorded === "conflict" ? { ok: false, error: EVENT_ID_CONFLICT } : { ok: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    ctx.app.log.error({ err: error.cause }, "an event of a batch could not be recorded");
    return { ok: false, error: error.message };
  }
}

export const trackBatch = endpoint(
  {
    id: "trackBatch",
    method: "POST",
    path: "/api/v1/track/batch",
    tag: "SDK",
    summary: "Record up to 500 events",
    description:
      "For servers and imports. Answers per event, in order, and counts what was taken and what was refused; an event that is refused does not hold up the others. One of the setting `identity.serverEvents` is ignored unless it comes with the secret key.",
    keys: ["publishable", "secret"],
    budget: "track_batch",
    tool: "Apps and pages send what their users are and do.",
    items: { field: "events", max: MAX_EVENTS },
    body: z.object({
      events: z
        .array(describedOnly)
        .min(1)
        .max(MAX_EVENTS)
        .describe("The events, each of which is answered by itself."),
    }),
    example: {
      events: [
        { userId: "ada", event: "upgraded", props: { amount: 49 }, eventId: "order-1" },
        { userId: "bob", event: "report_opened" },
      ],
    },
    result: itemResults(
      z.object({ ok: z.literal(true).describe("Whether it was taken."), ignored: IgnoredEvent }),
      MAX_EVENTS,
    ),
  },
  async (ctx, { body }) => withCounts(await Promise.all(body.events.map((item) => recordItem(ctx, item)))),
);
