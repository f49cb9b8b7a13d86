import { z } from "zod";
import { epochMs, text } from "../../platform/http/contract/fields.ts";

/** Something that entries name, as people call it. */
export const NamedThing = z
  .object({
    projectId: text(36).nullable().describe("The project that it is in; null for a person."),
    kind: z
      .enum(["campaign", "goal", "segment", "topic", "journey", "proposal", "address", "source", "person"])
      .describe("Which kind it is of."),
    id: text(320).describe("As the entries name it."),
    name: text(320).describe("How it is called now; of a proposal, the campaign that it would change."),
  })
  .meta({ id: "NamedThing" });
export type NamedThing = z.infer<typeof NamedThing>;

/** What a person or a command changed. */
export const AuditEntry = z
  .object({
    id: z.int().min(1).describe("Grows with each entry; the `before` of the next page."),
    projectId: text(36)
      .nullable()
      .describe("The project that was changed; null where it was the organization."),
    at: epochMs.describe("When it was changed, in epoch milliseconds."),
    by: z
      .object({
        kind: z.enum(["human", "command"]).describe("A person in the dashboard, or a command on the server."),
        id: text(128).nullable().describe("Id of the person."),
        name: text(256).describe("The name at that time."),
      })
      .describe("Who changed it."),
    operation: text(64).describe("Id of the operation."),
    target: text(256)
      .nullable()
      .describe("Id of what was changed; of people their address, which owners alone read."),
    fields: z.array(text(128)).max(1_000).describe("Names of the fields that were sent."),
    before: z.unknown().describe("What it was, where the operation says so."),
    after: z.unknown().describe("What it became, where the operation says so."),
    requestId: text(64)
      .nullable()
      .describe("Id of the request, as the answer's header X-Request-Id gave it."),
  })
  .meta({ id: "AuditEntry" });
