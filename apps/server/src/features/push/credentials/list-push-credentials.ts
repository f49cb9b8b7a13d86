import { z } from "zod";
import { apiId, uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { openCredential } from "./read.ts";
import { PushCredentialView } from "./schema.ts";
import { listCredentials } from "./store.ts";
import { viewOf } from "./view.ts";

const MAX_LISTED = 100;

function positionOf(afterId: string | undefined): string | null {
  if (afterId === undefined) return null;
  const uuid = uuidOf("cred", afterId);
  if (uuid === null) throw new ApiError("invalid_request", "query.afterId must be the id of a credential");
  return uuid;
}

export const listPushCredentials = endpoint(
  {
    id: "listPushCredentials",
    method: "GET",
    path: "/api/v1/push/credentials",
    tag: "Push",
    summary: "List push credentials, without their keys",
    description: `At most ${MAX_LISTED}; \`nextCursor\` is the \`afterId\` of the next ones, or null.`,
    keys: ["secret"],
    people: "viewer",
    budget: "push",
    tool: "Credentials are secrets, which no model needs.",
    query: z.object({ afterId: text(128).optional().describe("`nextCursor` of the page before.") }),
    result: z.strictObject({
      credentials: z
        .array(PushCredentialView)
        .max(MAX_LISTED)
        .describe("The credentials, without their keys."),
      nextCursor: z
        .string()
        .max(128)
        .nullable()
        .meta({ description: "Where the next page begins; null after the last one.", example: null }),
    }),
    refusals: "strict",
  },
  async ({ app, db, projectId }, { query }) => {
    const rows = await listCredentials(db, projectId, positionOf(query.afterId), MAX_LISTED + 1);
    const shown = rows.slice(0, MAX_LISTED);
    const last = rows.length > shown.length ? shown.at(-1) : undefined;
    return {
      credentials: shown.map((row) => viewOf(row, openCredential(app.secrets, projectId, row))),
      nextCursor: last === undefined ? null : apiId("cred", last.id),
    };
  },
);
