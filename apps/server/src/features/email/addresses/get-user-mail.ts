import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { requireUser } from "../../users/profiles/public.ts";
import { addressRef } from "./address-ref.ts";
import { findSuppression } from "./list-store.ts";
import { parseAddress } from "./rules.ts";
import { ReceiptsStoppedBy, receiptsStoppedAt, SuppressedBy } from "./schema.ts";

export const getUserMail = endpoint(
  {
    id: "getUserMail",
    method: "GET",
    path: "/api/people/users/{id}/mail",
    tag: "Users",
    summary: "Say whether mail goes to a user, and if not, since when and why",
    keys: [],
    people: "viewer",
    oneInstant: true,
    params: z.object({ id: pathIds.user }),
    result: z.object({
      address: z
        .string()
        .max(320)
        .nullable()
        .describe("Where mail goes; null where the user has no address."),
      isConfirmed: z
        .boolean()
        .describe(
          "False where a page gave the address, and neither a server nor a send has confirmed it yet.",
        ),
      stop: z
        .object({
          reason: SuppressedBy,
          since: epochMs,
          by: z.string().max(256).nullable().describe("Who decided it, where a person did."),
          campaign: z
            .object({
              id: z.string().max(128).describe("Id of the campaign."),
              name: z.string().max(200).describe("Its name."),
            })
            .nullable()
            .describe("The campaign after whose mail the address was suppressed; null where none led to it."),
        })
        .nullable()
        .describe("Null where mail of campaigns goes to the address."),
      receiptsStoppedBy: ReceiptsStoppedBy,
      receiptsStoppedAt,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId } = ctx;
    const user = await requireUser(ctx, params.id);
    // Only checked objects are written to this column.
    const address = parseAddress((user.traits as Record<string, unknown>).email)?.address ?? null;
    const isConfirmed = user.addressGivenAt === null;
    const unstopped = { address, isConfirmed, stop: null, receiptsStoppedBy: null, receiptsStoppedAt: null };
    if (address === null) return unstopped;
    const found = await findSuppression(db, projectId, addressRef(projectId, address));
    if (found === null) return unstopped;
    const { reason, suppressedAt: since, by, campaign, ...receipts } = found;
    const stop = reason === null || since === null ? null : { reason, since, by, campaign };
    const { receiptsStoppedBy, receiptsStoppedAt: receiptsSince } = receipts;
    return { ...unstopped, stop, receiptsStoppedBy, receiptsStoppedAt: receiptsSince };
  },
);
