import { z } from "zod";
import { eventName } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { NO_SHAPE } from "../../counting/rollups/rules.ts";
import { EVENT_LOOK_ALIKES, timeLookAlikes } from "../../users/events/public.ts";
import { EventId, EventProps } from "../../users/events/schema.ts";
import { actAs } from "../../users/identities/public.ts";
import { namingOne, personFields } from "../../users/identities/schema.ts";
import { EVENT_ID_CONFLICT, recordEvent, tooManyNames } from "./record.ts";
import { IgnoredEvent, isServerEvent } from "./server-events.ts";

const AT_ARRIVAL =
  "an event is recorded at the time when it arrives (POST /api/v1/track/batch takes ts, with the secret key)";

export const track = endpoint(
  {
    id: "track",
    method: "POST",
    path: "/api/v1/track",
    tag: "SDK",
    summary: "Record an event of a user",
    description:
      "Makes the user known; with `anonymousId`, it is of a visitor who is not signed in, or of the user whom they became. A goal's target event converts the deliveries the user was shown before. With `eventId`, a repeat is not counted again. An event of the setting `identity.serverEvents` counts only from the secret key: from a publishable key nothing is recorded, and the answer says `ignored`.",
    keys: ["publishable", "secret"],
    budget: "track",
    tool: "Apps and pages send what their users are and do.",
    body: namingOne(
      z.object({
        ...personFields,
        event: eventName.describe("Name of the event."),
        props: EventProps.optional(),
        eventId: EventId.optional(),
      }),
    ),
    example: { userId: "ada", event: "upgraded", props: { amount: 49 }, eventId: "order-1" },
    lookAlikes: { ...EVENT_LOOK_ALIKES, ...timeLookAlikes(AT_ARRIVAL), ts: AT_ARRIVAL },
    result: z.object({ ok: z.literal(true).describe("Whether it was taken."), ignored: IgnoredEvent }),
    errors: ["conflict"],
  },
  async (ctx, { body }) => {
    if (isServerEvent(ctx, body.event)) return { ok: true as const, ignored: true as const };
    const event = {
      name: body.event,
      props: body.props?.json ?? null,
      shape: body.props?.shape ?? NO_SHAPE,
      ts: ctx.now,
      receivedAt: ctx.now,
      eventId: body.eventId ?? newUuid(ctx.now),
    };
    const recorded = await actAs(ctx.app, ctx.projectId, body, (person) =>
      recordEvent(ctx.app, { ...event, ...person }),
    );
    if (recorded === "conflict") throw new ApiError("conflict", EVENT_ID_CONFLICT);
    if (recorded === "refused")
      throw new ApiError("invalid_request", tooManyNames(ctx.app.config.limits.userEventNames));
    return { ok: true as const };
  },
);
