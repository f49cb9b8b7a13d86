import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

const callField = (field: string) => sql`coalesce((c.call->>${sql.lit(field)})::numeric, 0)`;
const price = (place: number) => sql`(u.prices->(c.place::int - 1)->>${sql.lit(place)}::int)::numeric`;

/** Usage whose cost, credits or sums are not those of its calls at its prices. */
export const countMispricedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.aiUsage} u cross join lateral (
      select ceil(coalesce(sum(
          (${callField("inputTokens")} - ${callField("cachedInputTokens")} - ${callField("cacheWriteTokens")}) * ${price(0)}
          + ${callField("cachedInputTokens")} * ${price(1)} + ${callField("cacheWriteTokens")} * ${price(2)}
          + (${callField("outputTokens")} - ${callField("reasoningTokens")}) * ${price(3)} + ${callField("reasoningTokens")} * ${price(4)}
        ), 0) / 1000000) + coalesce(sum(${callField("toolCostMicros")}), 0) as cost,
        coalesce(sum(${callField("inputTokens")}), 0) as input, coalesce(sum(${callField("cachedInputTokens")}), 0) as cached,
        coalesce(sum(${callField("cacheWriteTokens")}), 0) as written, coalesce(sum(${callField("outputTokens")}), 0) as output,
        coalesce(sum(${callField("reasoningTokens")}), 0) as reasoning, coalesce(sum(${callField("toolCostMicros")}), 0) as tools
      from jsonb_array_elements(u.calls) with ordinality c (call, place)
    ) counted
    where (u.cost_micros, u.credits, u.input_tokens, u.cached_input_tokens, u.cache_write_tokens, u.output_tokens,
        u.reasoning_tokens, u.tool_cost_micros)
      is distinct from (cost, ceil(cost / 3000), input, cached, written, output, reasoning, tools)`,
  );

/** Usage without a billing report of as many credits. */
export const countUnbilledAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.aiUsage} u left join ${t.aiBillingReports} b
      on b.project_id = u.project_id and b.execution_id = u.execution_id
    where b.credits is distinct from u.credits`,
  );
