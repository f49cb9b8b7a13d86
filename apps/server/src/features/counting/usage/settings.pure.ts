import type {
  KeptSettings,
  NewValues,
  SettingFault,
  SettingGroup,
  SettingSet,
  Settings,
} from "../../../platform/settings/setting.ts";
import { choice, typed, typedInstant, usd } from "../../../platform/settings/typed.ts";
import { parsePriceTiers, priceTiersText, TIERS_RULE } from "./tiers.pure.ts";

const priceTiers = typed(TIERS_RULE, (text) => {
  const tiers = parsePriceTiers(text);
  return tiers === null ? null : priceTiersText(tiers);
});

/** What an organization pays, and when it is served. */
export const billingSettings = {
  "org.spendCapUsd": {
    parse: usd(1_000_000_000),
    fallback: null,
    label: "Spend cap in USD",
    meaning: "USD of a period at which the organization is served no more; by default no cap",
  },
  "org.priceTiers": {
    parse: priceTiers,
    fallback: null,
    label: "Prices per active user",
    meaning: "USD per active user, such as 0.02 to 10000, 0.012; by default that with MODE=managed, else 0",
  },
  "org.billingStatus": {
    parse: choice("none", "ok", "past_due", "restore_needed"),
    fallback: "none",
    label: "Billing status",
    meaning:
      "none: no payment method; past_due: email waits; restore_needed: nothing is served before it is ok again",
  },
  "org.periodStart": {
    parse: typedInstant,
    fallback: null,
    label: "Begin of the period",
    meaning: "when a period of the subscription began; counts unless org.billingStatus is none",
  },
  "org.periodEnd": {
    parse: typedInstant,
    fallback: null,
    label: "End of the period",
    meaning: "when it ends; further periods follow by themselves, equally long",
  },
} as const satisfies SettingSet;

export type BillingSettings = Settings<typeof billingSettings>;

const DAY_MS = 86_400_000;
const MAX_PERIOD_DAYS = 400;

/** Accepts a period with both ends or none, 1 to 400 days long. */
export function checkPeriod(values: NewValues, kept: KeptSettings): NewValues | SettingFault {
  if (!values.has("org.periodStart") && !values.has("org.periodEnd")) return values;
  const [start, end] = ["org.periodStart", "org.periodEnd"].map((key) =>
    values.has(key) ? values.get(key) : kept.get(key)?.value,
  );
  if (typeof start !== "string" && typeof end !== "string") return values;
  if (typeof start !== "string" || typeof end !== "string")
    return { fault: "org.periodStart and org.periodEnd must be set, or cleared, together" };
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS;
  return days >= 1 && days <= MAX_PERIOD_DAYS
    ? values
    : { fault: `org.periodEnd must be 1 to ${MAX_PERIOD_DAYS} days after org.periodStart` };
}

export const billingSettingGroup: SettingGroup = {
  settings: billingSettings,
  topic: "organization",
  fit: checkPeriod,
};
