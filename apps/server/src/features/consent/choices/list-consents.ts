import { z } from "zod";
import { storedUserId } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { queryInt, text } from "../../../platform/http/contract/fields.ts";
import { addressRef, parseAddress } from "../../email/addresses/public.ts";
import { requireUser } from "../../users/profiles/public.ts";
import { type Chooser, listConsentRows, ofAddress, ofUser } from "./choices-store.ts";
import { Consent } from "./schema.ts";
import { addressOfUser } from "./user-address.ts";
import { toConsent } from "./view.ts";

const MOST = 100;

export const listConsents = endpoint(
  {
    id: "listConsents",
    method: "GET",
    path: "/api/v1/consents",
    tag: "Topics",
    summary: "List what readers chose and confirmed, newest first",
    description:
      "Nothing of it is ever changed: it proves who wanted what, when, and by which form. Of an erased user the address is gone, and its hash stays.",
    keys: ["secret"],
    people: "viewer",
    budget: "subscriptions",
    tool: "It is about single persons, which is for people to look at.",
    oneInstant: true,
    query: z.object({
      userId: storedUserId
        .optional()
        .describe("Only those of this user, and of the address that they have now."),
      email: text(320).optional().describe("Only those of this address."),
      before: z
        .string()
        .regex(/^\d{1,18}$/, "must be the id of a consent")
        .max(18)
        .optional()
        .describe("Id of a consent: only those before it."),
      limit: queryInt(1, MOST, 50).describe("How many at most."),
    }),
    result: z.object({
      consents: z.array(Consent).max(MOST).describe("What happened."),
      next: z.string().max(40).nullable().meta({
        description: "What to give as `before` for further ones; null where there are none.",
        example: null,
      }),
    }),
    errors: ["not_found"],
  },
  async (ctx, { query: { userId, email, before, limit } }) => {
    const { db, projectId } = ctx;
    const choosers: Chooser[] = [];
    if (userId !== undefined) {
      const user = await requireUser(ctx, userId);
      const to = addressOfUser(projectId, user);
      choosers.push(ofUser(user), ...(to === null ? [] : [ofAddress(to)]));
    }
    if (email !== undefined) {
      const to = parseAddress(email);
      if (to === null) throw new ApiError("invalid_request", "email must be an email address");
      choosers.push(ofAddress(addressRef(projectId, to.address)));
    }
    const isAll = userId === undefined && email === undefined;
    const rows = await listConsentRows(db, projectId, {
      choosers: isAll ? null : choosers,
      before: before === undefined ? null : Number(before),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit).map(toConsent);
    return { consents: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  },
);
