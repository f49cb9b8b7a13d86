import type { Feature } from "../../../domain/feature.ts";
import { countHitDifferencesAcrossProjects } from "./check-store.ts";
import { inboundHook } from "./inbound/hook.ts";
import { linkRoutes } from "./links.ts";
import { forgetReportTokens } from "./providers/forget.ts";
import { providerHook } from "./providers/hook.ts";
import { tables } from "./tables.pure.ts";
import { unsubscribeRoutes } from "./unsubscribe.ts";

export const emailFeedback: Feature = {
  room: "email/feedback",
  tables,
  routes: [...linkRoutes, ...unsubscribeRoutes, providerHook, inboundHook],
  loops: [forgetReportTokens],
  checks: [
    {
      name: "email: what people and machines did with messages adds up",
      invariant: 5,
      compares: "facts",
      countDifferences: countHitDifferencesAcrossProjects,
    },
  ],
};
