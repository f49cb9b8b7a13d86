import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count } from "../../../platform/http/contract/fields.ts";
import { readUsage } from "./read.ts";

const activeUsers = count.describe(
  "A user counts once per period and project: identified, tracked, shown a message, or accepted for campaign email. History that is brought in counts nobody.",
);
const frequencyCapped = count.describe(
  "Campaign email that was left out for good, because its recipient had as many as the cap allows.",
);

const Usage = z
  .object({
    serving: z
      .enum(["ok", "payment_required", "cap_reached"])
      .describe("Unless it is `ok`, no message is served on any channel."),
    emailServing: z
      .enum(["ok", "paused"])
      .describe("Paused whenever `serving` is not `ok`, and while billing is past due. Planned email waits."),
    billable: z.boolean().describe("Whether a payment method is on file."),
    period: z
      .object({
        start: z.iso.datetime().describe("Its first instant, ISO-8601."),
        end: z.iso.datetime().describe("The first instant after it, ISO-8601."),
        boundary: z
          .enum(["subscription", "calendar_month"])
          .describe("Whether it is a month of the calendar, or one of a subscription."),
      })
      .describe("The stretch of time that is billed."),
    activeUsers: activeUsers.meta({ example: 310 }),
    frequencyCapped: frequencyCapped.meta({ example: 1 }),
    estimatedSpendUsd: z.number().min(0).describe("Before tax."),
    spendCapUsd: z
      .number()
      .min(0)
      .nullable()
      .meta({ description: "What may be spent in a period at most; null is no cap.", example: null }),
    projects: z
      .array(
        z.object({
          id: z.string().max(128).describe("Id of the project."),
          name: z.string().max(1_000).describe("Its name."),
          activeUsers: activeUsers.meta({ example: 310 }),
          frequencyCapped: frequencyCapped.meta({ example: 1 }),
        }),
      )
      .max(100_000)
      .describe("The projects of the organization."),
  })
  .meta({ id: "Usage" });

export const getUsage = endpoint(
  {
    id: "getUsage",
    method: "GET",
    path: "/api/v1/usage",
    tag: "Reports",
    summary: "What the organization used, and whether it is served",
    description:
      "Of the organization's present period, over all its projects; exact at the instant of the answer. Cap, prices and billing are changed by people, not with a key; what they change is honoured within 5 seconds.",
    keys: ["secret"],
    people: "viewer",
    budget: "reports",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    result: Usage,
  },
  async ({ app, db, projectId, now }) => {
    const usage = await readUsage(app, db, projectId, now);
    const { serving, emailServing, billable, period, spendCapUsd, projects } = usage;
    return {
      serving,
      emailServing,
      billable,
      spendCapUsd,
      projects,
      period: {
        start: new Date(period.start).toISOString(),
        end: new Date(period.end).toISOString(),
        boundary: period.boundary,
      },
      activeUsers: usage.activeUsers,
      frequencyCapped: usage.frequencyCapped,
      estimatedSpendUsd: usage.spendMicros / 1e6,
    };
  },
);
