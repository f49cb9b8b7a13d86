import { z } from "zod";
import { createBatch } from "../../platform/db/batch.ts";
import { batchQueue } from "../../platform/db/batch-queue.ts";
import { isLocked, isUnreachable } from "../../platform/db/db.ts";
import { endpoint } from "../../platform/http/endpoint.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { externalUserId, userHash } from "../../platform/http/fields.ts";
import { userRef } from "../../platform/ids.ts";
import { resource } from "../../platform/runtime.ts";
import { noted } from "../rollups/public.ts";
import { activePeriods } from "../usage/public.ts";
import { Traits, USER_LOOK_ALIKES } from "./schema.ts";
import { type Identified, identifyUsers } from "./store.ts";

const identifyBatch = resource((app) =>
  createBatch<Identified, null>({
    laneOf: (row) => row.lane,
    // Two merges into one user are two statements: one upsert cannot touch a row twice.
    keyOf: (row) => row.userKey,
    queue: batchQueue(app, "identify"),
    async run(rows) {
      await identifyUsers(app.database.hotPool, rows);
      noted(app);
      return rows.map(() => null);
    },
  }),
);

export const identify = endpoint(
  {
    id: "identify",
    method: "POST",
    path: "/api/v1/identify",
    tag: "SDK",
    summary: "Make a user known and merge traits",
    description:
      "Traits are merged key by key; keys that are not sent stay. The user counts as active this period.",
    keys: ["publishable"],
    budget: "identify",
    body: z.object({ userId: externalUserId, traits: Traits.optional(), userHash: userHash.optional() }),
    example: { userId: "ada", traits: { plan: "free", email: "ada@example.com" } },
    lookAlikes: USER_LOOK_ALIKES,
    identifies: ({ body }) => body,
    result: z.object({ ok: z.literal(true) }),
  },
  async (ctx, { body }) => {
    const periodOf = await activePeriods(ctx.app, ctx.projectId);
    const row = {
      ...userRef(ctx.projectId, body.userId),
      projectId: ctx.projectId,
      externalId: body.userId,
      traits: body.traits ?? "{}",
      ts: ctx.now,
      period: periodOf(ctx.now),
    };
    await ctx.app
      .get(identifyBatch)
      .add(row)
      .catch((cause: unknown) => {
        if (isUnreachable(cause) || isLocked(cause)) throw cause;
        throw new ApiError("user_upsert_failed", undefined, { cause });
      });
    return { ok: true as const };
  },
);
