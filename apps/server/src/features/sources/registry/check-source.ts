import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { resource } from "../../../platform/runtime.ts";
import { SealError } from "../../../platform/secrets/secrets.ts";
import { type Checked, check } from "./manage.ts";
import { requireSource } from "./people.ts";
import { lookSoon } from "./store.ts";

/** The projects of which this process asks a repository right now: each waits for a network, and so has one at a time. */
const asking = resource(() => new Set<string>());

export const checkSource = endpoint(
  {
    id: "checkSource",
    method: "POST",
    path: "/api/people/sources/{id}/check",
    audit: { did: "asked a repository", target: "source" },
    tag: "Launches",
    summary: "Ask a repository now whether it can be read",
    description:
      "Takes up to 30 seconds, and one at a time of a project: another one meanwhile is 409. It is looked at as a whole right after.",
    keys: [],
    people: "owner",
    ownTransaction: true,
    params: z.object({ id: pathId }),
    result: z.object({
      reason: z.string().max(64).nullable().describe("Why it cannot be read; null where it can."),
      detail: z.string().max(1_000).nullable().describe("What git said of it."),
      tipSha: z.string().max(40).nullable().describe("The commit at the tip of the branch."),
    }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params: { id } }) => {
    const { app, db, projectId, now } = ctx;
    const source = await requireSource(ctx, id);
    const projects = app.get(asking);
    if (projects.has(projectId))
      throw new ApiError(
        "conflict",
        "A repository of this project is being asked: try again once it answered.",
      );
    projects.add(projectId);
    try {
      await ctx.reserve?.();
      await lookSoon(db, projectId, [id], now);
      const { signal } = new AbortController();
      return await check(app.config, app.secrets, source, signal).catch((cause: unknown): Checked => {
        if (cause instanceof SealError) return { reason: "auth", detail: cause.message, tipSha: null };
        throw cause;
      });
    } finally {
      projects.delete(projectId);
    }
  },
);
