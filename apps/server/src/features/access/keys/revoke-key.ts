import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { keyId } from "../schema.ts";
import { deleteKey } from "../store.ts";

export const revokeKey = endpoint(
  {
    id: "revokeKey",
    method: "DELETE",
    path: "/api/people/keys/{keyId}",
    audit: "revoked a key",
    tag: "Keys",
    summary: "Let a key stop working",
    description: "It stops everywhere within 5 seconds, and nothing brings it back.",
    keys: [],
    people: "owner",
    fresh: true,
    errors: ["not_found"],
    params: z.object({ keyId }),
  },
  async (ctx, { params }) => {
    const revoked = await deleteKey(ctx.db, ctx.projectId, params.keyId, ctx.now);
    if (revoked === null) throw new ApiError("not_found", "Key not found");
    ctx.describe({ target: revoked.kind, before: { ending: revoked.ending } });
  },
);
