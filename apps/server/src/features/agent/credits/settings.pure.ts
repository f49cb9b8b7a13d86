import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { typed, whole } from "../../../platform/settings/typed.ts";
import { AI_PRICES_RULE, aiPricesText, parseAiPrices } from "./prices.pure.ts";

const aiPrices = typed(AI_PRICES_RULE, (text) => {
  const rows = parseAiPrices(text);
  return rows === null ? null : aiPricesText(rows);
});

/** What the agent may cost. */
export const creditSettings = {
  "ai.monthlyLimit": {
    parse: whole(0, 1_000_000),
    fallback: 2_500,
    label: "AI credits per month",
    meaning: "for the agent: AI credits per UTC month; 0: it begins nothing",
  },
  "ai.prices": {
    parse: aiPrices,
    fallback: "* 0.2 0.025 0.25 1.6 1.6",
    label: "Prices of models",
    meaning:
      "for the agent: USD per million tokens of input, cached input, cache write, output and reasoning, by model (* is any other); gpt-x>200000 is for calls of more input tokens than that",
  },
} as const satisfies SettingSet;

export const creditSettingGroup: SettingGroup = { settings: creditSettings, topic: "agent" };
