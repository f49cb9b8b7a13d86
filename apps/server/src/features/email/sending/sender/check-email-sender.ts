import { beginningOf } from "@tidings/client/text";
import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { txtLookup } from "../../../../platform/net/dns.ts";
import { orInvalid } from "../../../../platform/settings/or-invalid.ts";
import {
  type CheckedRecord,
  checkSenderDomain,
  markSenderDomainVerified,
  prepareSenderDomain,
} from "../../sender/public.ts";
import { CheckedSenderRecord } from "./schema.ts";

const MAX_FOUND = 20;
const MAX_TEXT = 4_000;

/** A record with as much of what DNS has as people read. */
const shownRecord = ({ found, problem, ...wanted }: CheckedRecord) => ({
  ...wanted,
  type: "TXT" as const,
  found: found.slice(0, MAX_FOUND).map((text) => beginningOf(text, MAX_TEXT)),
  problem: problem === null ? null : beginningOf(problem, 500),
});

export const checkEmailSender = endpoint(
  {
    id: "checkEmailSender",
    method: "POST",
    path: "/api/people/email/sender/check",
    audit: "asked DNS for the sender's domain",
    tag: "Email",
    summary: "Ask DNS for the records of the sender's domain",
    description:
      "Says of each record what DNS has and what is wrong with it. Where nothing is, mail may be sent from the domain, and is signed, from then on.",
    keys: [],
    people: "owner",
    ownTransaction: true,
    result: z.object({
      checkedAt: epochMs,
      domain: z.string().max(253),
      isVerified: z.boolean().describe("Whether nothing is wrong."),
      records: z.array(CheckedSenderRecord).max(2),
    }),
  },
  async ({ app, projectId, now }) => {
    const { kysely } = app.database;
    const sender = await orInvalid(
      prepareSenderDomain(kysely, app.secrets, projectId, { now, renew: false }),
    );
    const records = await checkSenderDomain(sender, txtLookup(app.config.dnsServer));
    const isVerified =
      records.every(({ problem }) => problem === null) &&
      (await kysely
        .transaction()
        .execute((tx) => markSenderDomainVerified(tx, app.secrets, projectId, sender, now)));
    return { checkedAt: now, domain: sender.domain, isVerified, records: records.map(shownRecord) };
  },
);
