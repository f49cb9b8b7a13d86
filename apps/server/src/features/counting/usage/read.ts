import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { readOrganizationSettings } from "../../settings/public.ts";
import {
  judgeServing,
  type Period,
  periodAt,
  pricesOf,
  type Serving,
  type Subscription,
  spendOf,
  subscriptionOf,
} from "./rules.ts";
import { billingSettings } from "./settings.pure.ts";
import { countUsage, type ProjectUsage } from "./store.ts";

/** An organization's usage in its present period, what it costs, and whether its projects are served. */
export type Usage = Serving & {
  organizationId: string;
  /** Whether a payment method is on file. */
  billable: boolean;
  subscription: Subscription | null;
  period: Period;
  activeUsers: number;
  frequencyCapped: number;
  spendMicros: number;
  spendCapUsd: number | null;
  projects: ProjectUsage[];
};

/** The usage of a project's organization, exact as of what is committed. Two statements. */
export async function readUsage({ config }: App, db: Db, projectId: string, now: number): Promise<Usage> {
  const found = await readOrganizationSettings(db, projectId, billingSettings);
  if (found === null) throw new Error("There is no such project.");
  const { organizationId, settings } = found;
  const status = settings["org.billingStatus"];
  const subscription = subscriptionOf(settings);
  const period = periodAt(subscription, now);
  const projects = await countUsage(db, organizationId, period.key);
  const sum = (field: "activeUsers" | "frequencyCapped"): number =>
    projects.reduce((total, project) => total + project[field], 0);
  const activeUsers = sum("activeUsers");
  const spendMicros = spendOf(pricesOf(settings, config.mode), activeUsers);
  const spendCapUsd = settings["org.spendCapUsd"];
  return {
    organizationId,
    subscription,
    period,
    activeUsers,
    spendMicros,
    spendCapUsd,
    projects,
    ...judgeServing(status, spendMicros, spendCapUsd),
    billable: status !== "none",
    frequencyCapped: sum("frequencyCapped"),
  };
}
