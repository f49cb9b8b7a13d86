import { z } from "zod";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { text } from "../../../platform/http/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/page.ts";
import { SuppressedAddress, SuppressedBy } from "./schema.ts";
import { pageOfSuppressions } from "./store.ts";

export const listSuppressedAddresses = endpoint(
  {
    id: "listSuppressedAddresses",
    method: "GET",
    path: "/api/people/email/suppressions",
    tag: "Email",
    summary: "List addresses that get no mail, newest first",
    description: "`q` is part of the address, whatever its case.",
    keys: [],
    people: "viewer",
    oneInstant: true,
    cost: "heavy",
    query: z.object({ q: text(320, 0).optional(), reason: SuppressedBy.optional(), ...pageQuery() }),
    result: z.object({ addresses: z.array(SuppressedAddress).max(100), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const { q, reason } = query;
    const filter = { q: q === "" ? undefined : q, reason };
    const { rows, total } = await pageOfSuppressions(db, projectId, filter, pageWindow(query));
    // The reasons are those that this room writes.
    const addresses = rows.map((row) => ({ ...row, reason: SuppressedBy.parse(row.reason) }));
    return { addresses, ...pageAnswer(query, total) };
  },
);
