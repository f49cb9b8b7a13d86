import { z } from "zod";
import { epochMs } from "../../../../platform/http/contract/fields.ts";

const shown = (max: number) => z.string().max(max).nullable();

const SenderRecord = z.object({
  purpose: z.enum(["dkim", "spf"]).describe("What it proves: who signed the mail, or who may send it."),
  type: z.literal("TXT").describe("Kind of the record."),
  name: z.string().max(300).describe("Where the record lies in the DNS."),
  value: z.string().max(1_000).describe("Text of the record."),
});

/** What a record says in DNS. */
export const CheckedSenderRecord = SenderRecord.extend({
  found: z.array(z.string().max(4_096)).max(20).describe("The texts of this kind that DNS has."),
  problem: shown(500).describe(
    "What is wrong with them, after the name of the record; null where nothing is.",
  ),
});

/** How a project's mail leaves, and what it lacks before it can. */
export const EmailSender = z
  .object({
    from: shown(1_000).describe("Who mail comes from."),
    postalAddress: shown(500).describe("The postal address at the foot of every mail."),
    spfInclude: shown(300).describe("The name that the mail provider wants in the SPF record."),
    mailServer: z
      .enum(["own", "shared", "outbox", "none"])
      .describe(
        "The mail server: the project's own, that of all projects, none because mail is caught for looking at, or none at all.",
      ),
    provider: z.string().max(20).describe("Who reports what became of mail."),
    hasWebhookSecret: z.boolean().describe("Whether that with which reports are verified is set."),
    webhookUrl: shown(2_200).describe(
      "Where the provider has to send its reports; null where there is none.",
    ),
    publicUrl: z.string().max(2_048).describe("Where links to unsubscribe lead."),
    domain: z
      .object({
        name: z.string().max(253).describe("Name of the domain."),
        maySend: z.boolean().describe("Whether mail may be sent from it."),
        seenAt: epochMs
          .nullable()
          .describe(
            "When DNS showed its key, epoch milliseconds: mail is signed from then on; null before that.",
          ),
        records: z.array(SenderRecord).max(2).describe("What belongs into its DNS."),
      })
      .nullable()
      .describe("The domain of the sender; null before its key was made."),
    missing: z
      .array(z.enum(["from", "postalAddress", "mailServer", "domain", "publicUrl"]))
      .max(5)
      .describe("What campaigns need before they can be launched."),
    fault: shown(1_000).describe("Why a setting or the key cannot be read; null where all can."),
  })
  .meta({ id: "EmailSender" });
export type EmailSender = z.infer<typeof EmailSender>;
