import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { MAX_KEYS, makeKey } from "../projects/projects.ts";
import { KeyMade, keyKind } from "../schema.ts";
import { endingOf } from "./tokens.ts";

export const createKey = endpoint(
  {
    id: "createKey",
    method: "POST",
    path: "/api/people/keys",
    audit: "made a key",
    tag: "Keys",
    summary: "Make a further key",
    description: "The keys that are there go on working: one for each server, so that each can be revoked.",
    keys: [],
    people: "owner",
    fresh: true,
    status: 201,
    secretAnswer: true,
    errors: ["conflict"],
    body: z.object({ kind: keyKind.describe("What it is for.") }),
    example: { kind: "secret" },
    result: KeyMade,
  },
  async (ctx, { body: { kind } }) => {
    const key = await makeKey(ctx.db, ctx.projectId, kind, ctx.now);
    if (key === null)
      throw new ApiError("conflict", `There are ${MAX_KEYS} ${kind} keys already: revoke one first.`);
    ctx.describe({ target: kind, after: { ending: endingOf(key) } });
    return { key, kind };
  },
);
