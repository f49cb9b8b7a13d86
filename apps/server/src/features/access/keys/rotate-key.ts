import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { MINUTE_MS } from "../../../platform/time/clock.ts";
import { rotateKey as replaceKeys } from "../projects/projects.ts";
import { graceMinutes, KeyMade, keyKind } from "../schema.ts";
import { endingOf } from "./tokens.ts";

export const rotateKey = endpoint(
  {
    id: "rotateKey",
    method: "POST",
    path: "/api/people/keys/{kind}/rotate",
    audit: "replaced keys",
    tag: "Keys",
    summary: "Replace the keys of one kind by a new one",
    description:
      "Those that are there work for the grace period, or until the end that they have already, and stop everywhere within 5 seconds of it.",
    keys: [],
    people: "owner",
    fresh: true,
    status: 201,
    secretAnswer: true,
    errors: ["not_found"],
    params: z.object({ kind: keyKind.describe("Which keys.") }),
    body: z.object({
      graceMinutes: graceMinutes
        .default(0)
        .describe("How long the present keys still work, in minutes: 30 days at most."),
    }),
    example: {},
    result: KeyMade,
  },
  async (ctx, { params: { kind }, body }) => {
    const graceMs = body.graceMinutes * MINUTE_MS;
    const key = await replaceKeys(ctx.db, ctx.projectId, kind, ctx.now, graceMs);
    if (key === null) throw new ApiError("not_found", "Project not found");
    ctx.describe({ after: { ending: endingOf(key), graceMinutes: body.graceMinutes } });
    return { key, kind };
  },
);
