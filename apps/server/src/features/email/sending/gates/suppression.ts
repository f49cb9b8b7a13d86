import { sql } from "kysely";
import { z } from "zod";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { gate } from "../../../deliveries/gates/gate.ts";
import { instantIn } from "../../../deliveries/gates/words.pure.ts";
import type { KnownAddress } from "../../addresses/public.ts";
import type { Mailbox } from "../../sender/mailbox.pure.ts";
import { NO_ADDRESS } from "./address.ts";

type Facts = { isSuppressed: boolean };
type Found = {
  to: Mailbox | null;
  /** Null where no mail ever left for the address, and it was never suppressed. */
  address: Pick<KnownAddress, "suppressedBy" | "suppressedAt"> | null;
  /** The person or key that suppressed it by hand; null for any other reason. */
  suppressor: string | null;
};

/** Why an address gets no mail, after the instant since when. */
const STOPPED: Readonly<Record<string, string>> = {
  unsubscribed: "its owner unsubscribed",
  bounced: "it does not exist",
  complained: "its owner reported mail as spam",
  manual: "it was stopped by hand",
};

/** Whether the address takes mail. */
export const suppressionGate = gate({
  gate: "suppression",
  asks: "does the address take mail of the project?",
  stages: ["plan", "lease"],
  reasons: { suppressed: "the address unsubscribed, bounced or complained, or was suppressed by hand" },
  shape: {
    suppressedBy: z
      .string()
      .max(40)
      .nullable()
      .describe(
        "`unsubscribed`, `bounced`, `complained` or `manual`; null where the address is not suppressed.",
      ),
    suppressedAt: epochMs
      .nullable()
      .describe("When it was suppressed, epoch milliseconds; null where it is not."),
  },
  passes: ({ isSuppressed }: Facts) => !isSuppressed,
  remark: () => "the address does not want mail any more, or does not exist",
  sql: () => [{ when: sql`a.is_suppressed`, bucket: "suppressed" }],
  skipped: ({ to }: Found) => (to === null ? NO_ADDRESS : null),
  note({ to, address, suppressor }: Found) {
    if (address === null || address.suppressedAt === null) return `${to?.address} takes mail of the project.`;
    const why = STOPPED[address.suppressedBy ?? ""] ?? "it was stopped";
    const by = suppressor === null ? "" : `, by ${suppressor}`;
    return `${to?.address} has had no mail since ${instantIn(address.suppressedAt)}: ${why}${by}.`;
  },
  details: ({ address }: Found) =>
    address === null || address.suppressedAt === null
      ? { suppressedBy: null, suppressedAt: null }
      : { suppressedBy: address.suppressedBy, suppressedAt: address.suppressedAt },
});
