import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { decideAddress } from "./decide-address.ts";
import { emailAddress, SuppressionDecided } from "./schema.ts";

export const allowEmailAddress = endpoint(
  {
    id: "allowEmailAddress",
    method: "POST",
    path: "/api/people/email/suppressions/lift",
    audit: { did: "let mail to an address leave again", target: "address" },
    tag: "Email",
    summary: "Let mail to an address leave again",
    description:
      "Mail of campaigns and receipts. Also after a complaint or a bounce: whoever decides it knows that the address wants mail.",
    keys: [],
    people: "editor",
    reachesUsers: "An address gets what was launched for it.",
    body: z.object({ address: emailAddress }),
    example: { address: "ada@example.com" },
    result: SuppressionDecided,
  },
  (ctx, { body: { address } }) => decideAddress(ctx, address, "allow"),
);
