import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { decideAddress } from "./decide-address.ts";
import { emailAddress, SuppressionDecided } from "./schema.ts";

export const suppressEmailAddress = endpoint(
  {
    id: "suppressEmailAddress",
    method: "POST",
    path: "/api/people/email/suppressions",
    audit: { did: "stopped mail to an address", target: "address" },
    tag: "Email",
    summary: "Stop mail to an address",
    description:
      "From the next message on, in every campaign of the project, and its receipts. An address that unsubscribed is kept from mail by the team from then on; other reasons stay.",
    keys: [],
    people: "editor",
    reachesUsers: "It takes an address away.",
    body: z.object({ address: emailAddress }),
    example: { address: "ada@example.com" },
    result: SuppressionDecided,
  },
  (ctx, { body: { address } }) => decideAddress(ctx, address, "suppress"),
);
