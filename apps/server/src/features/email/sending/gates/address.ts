import { sql } from "kysely";
import { gate } from "../../../deliveries/gates/gate.ts";
import { NO_SUCH_USER } from "../../../deliveries/gates/user.ts";
import { quoted, shortened } from "../../../deliveries/gates/words.pure.ts";
import type { Mailbox } from "../../sender/mailbox.pure.ts";

/** `to`: the mailbox in the trait `email` (`parseAddress`); null where there is none. `email`: the trait itself, which may be any JSON. */
type Facts = { to: Mailbox | null; email: unknown };
type Found = Facts & { known: object | null };

/** What is written where there is no address that something could be found out about. */
export const NO_ADDRESS = "There is no address to ask about.";

/** SQL: the trait `email` of the user `u` is a text. */
export const hasEmailText = sql<boolean>`jsonb_typeof(u.traits -> 'email') = 'string'`;

/** Whether the user has an address. */
export const addressGate = gate({
  gate: "address",
  asks: "does the user have an email address?",
  stages: ["plan", "lease"],
  reasons: {
    no_address: "there is no trait `email` that is a text",
    invalid_address: "the trait `email` is no address",
  },
  passes: ({ to }: Facts) => to !== null,
  reason: ({ email }: Facts) => (typeof email === "string" ? "invalid_address" : "no_address"),
  remark: () => "the user is gone, or has no valid email address any more",
  sql: () => [
    { when: sql`u.email is null`, bucket: "no_address" },
    { when: sql`u.key is null`, bucket: "invalid_address" },
  ],
  skipped: ({ known }: Found) => (known === null ? NO_SUCH_USER : null),
  note({ to, email }: Facts) {
    if (to !== null) return `Mail to the user goes to ${to.address}.`;
    return typeof email === "string"
      ? `The trait email is ${quoted(shortened(email))}, which is no address.`
      : "The user has no address: the trait email is missing, or is no text.";
  },
});
