import type pg from "pg";
import { SECOND_MS } from "../../time/clock.ts";
import { type Budget, type BudgetLimits, limitOf, PARTS, type Spent } from "./budget.ts";

// The clocks of computers differ, so what processes share is dated by the database's.
const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** The part of a row's `spent` that has not come back yet. */
const LEFT = "greatest(0, b.spent - greatest(0, excluded.counted_at - b.counted_at) * excluded.per_minute)";
const GRANTED = `least(excluded.granted, greatest(0, floor(excluded.per_minute - ${LEFT} / ${PARTS})))`;
/** Two statements at once may read the clock in another order than they write. Further ahead it was set back, and counts on from there. */
const COUNTED_AT = `case when b.counted_at > excluded.counted_at + ${SECOND_MS} then excluded.counted_at
  else greatest(b.counted_at, excluded.counted_at) end`;

/** Requests that were granted, and the milliseconds until there is one more. */
export type BudgetGrant = { granted: number; waitMs: number };

/** Takes up to `wanted` requests from a project's budget. */
export async function drawBudget(
  pool: pg.Pool,
  budgetKey: { projectId: string; budget: Budget },
  perMinute: number,
  wanted: number,
): Promise<BudgetGrant> {
  const { rows } = await pool.query<{ granted: number; spent: number }>({
    name: "draw_budget",
    text: `insert into shared_budgets as b (project_id, budget, per_minute, granted, spent, counted_at)
      select $1, $2, $3, granted, granted * ${PARTS}, ${NOW} from (select least($3, $4::float8) as granted) wanted
      on conflict (project_id, budget) do update set per_minute = excluded.per_minute, granted = ${GRANTED},
        spent = ${LEFT} + ${PARTS} * ${GRANTED}, counted_at = ${COUNTED_AT}
      returning granted, spent`,
    values: [budgetKey.projectId, budgetKey.budget, perMinute, wanted],
  });
  const { granted = 0, spent = 0 } = rows[0] ?? {};
  return { granted, waitMs: Math.max(0, Math.ceil((spent + PARTS - perMinute * PARTS) / perMinute)) };
}

/** Adds to what is spent of budgets; a negative amount returns requests that were drawn and not used. */
export async function recordSpending(
  pool: pg.Pool,
  limits: BudgetLimits,
  spent: readonly Spent[],
): Promise<void> {
  if (spent.length === 0) return;
  await pool.query(
    `insert into shared_budgets as b (project_id, budget, per_minute, granted, spent, counted_at)
     select project_id, budget, per_minute, 0, parts, ${NOW}
     from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[]) as given (project_id, budget, per_minute, parts)
     order by project_id, budget
     on conflict (project_id, budget) do update set per_minute = excluded.per_minute, granted = 0,
       spent = ${LEFT} + excluded.spent, counted_at = ${COUNTED_AT}`,
    [
      spent.map(({ projectId }) => projectId),
      spent.map(({ budget }) => budget),
      spent.map(({ budget }) => limitOf(limits, budget)),
      spent.map(({ parts }) => parts),
    ],
  );
}

/** Removes the shared budgets of all projects from the database, for the one process that is left, and answers what was spent. */
export async function collectBudgetsAcrossProjects(pool: pg.Pool): Promise<Spent[]> {
  const { rows } = await pool.query<{ project_id: string; budget: Budget; parts: number }>(
    `delete from shared_budgets
     returning project_id, budget, spent - greatest(0, ${NOW} - counted_at) * per_minute as parts`,
  );
  return rows
    .filter(({ parts }) => parts > 0)
    .map(({ project_id: projectId, budget, parts }) => ({ projectId, budget, parts }));
}
