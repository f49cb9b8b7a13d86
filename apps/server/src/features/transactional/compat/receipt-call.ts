import { type EndpointSpec, KIB } from "../../../platform/http/contract/endpoint.ts";

/** Largest body of a call, in bytes. */
export const MOST_BYTES = 10_240 * KIB;

/** What all calls have in common that send receipts, whichever service they are of. */
export const receiptCall = {
  tag: "Transactional mail",
  keys: ["secret", "send"],
  budget: "send",
  tool: "Code that keeps the library of another service calls it.",
} as const satisfies Partial<EndpointSpec<undefined, undefined, undefined, undefined>>;

/** What those have as well that take mails. */
export const takesMails = { ...receiptCall, bodyLimit: MOST_BYTES, countsEscapes: true } as const;
