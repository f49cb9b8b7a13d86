import { z } from "zod";
import type { Serving } from "../../counting/usage/rules.ts";
import { gate } from "./gate.ts";

type Facts = { serving: Serving };

/** Whether anything is served. @param pausedBecause why the channel serves nothing, in a sentence; null where it serves */
export const servingGate = (pausedBecause: (serving: Serving) => string | null) =>
  gate({
    gate: "serving",
    asks: "may anything be served now? Billing and the spend cap decide",
    stages: [],
    shape: {
      serving: z
        .enum(["ok", "payment_required", "cap_reached"])
        .describe("Whether the organization is served, as `GET /api/v1/usage` says."),
      emailServing: z.enum(["ok", "paused"]).describe("Whether campaign email leaves."),
    },
    passes: ({ serving }: Facts) => pausedBecause(serving) === null,
    note: ({ serving }: Facts) => pausedBecause(serving) ?? "Messages are served.",
    details: ({ serving: { serving, emailServing } }: Facts) => ({ serving, emailServing }),
  });
