import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { playSeed } from "./agent-model/play.ts";
import { testHouse } from "./harness.ts";
import { rounds } from "./rounds.ts";

/**
 * Random operations of agents and people on three campaigns, over HTTP, and the same in a plain model: every answer, and whatever is
 * stored, has to be what the model says. `MODEL_SEEDS=500` plays so many seeds, from `MODEL_FROM` on.
 */
const STEPS = 60;
const SEEDS = Number(process.env.MODEL_SEEDS ?? rounds(40, 400, 8));
/** So many seeds reach every answer that is listed. */
const MANY_SEEDS = 40;
const FROM = Number(process.env.MODEL_FROM ?? 1);

const refusals = (operation: string, reasons: string): string[] =>
  reasons.split(" ").map((reason) => `${operation} 409 ${reason}`);

/** That these occur shows that the trails go deep enough. `approval_used` cannot: a repeat is answered like the first. */
const REACHED = [
  "claim 200",
  "mutate 200",
  "mutate 400",
  "mutate 404",
  "mutate 409",
  "complete 200",
  "complete 400",
  "propose 200",
  "propose 201",
  "propose 400",
  "propose 409",
  "schedule 200",
  "schedule 400",
  "mutate 403 approval_required",
  "mutate 403 proposal_rejected",
  "propose 403 proposal_rejected",
  "decide approved",
  "decide rejected",
  "decide refused",
  ...refusals("claim", "not_due ineligible leased awaiting_decision loop_paused budget_spent concurrency"),
  ...refusals("complete", "lease_lost approved_unapplied still_eligible"),
  ...refusals("mutate", "lease_lost evaluation_mismatch loop_paused"),
  ...refusals("mutate", "approval_mismatch approval_expired undone"),
  ...refusals("propose", "lease_lost evaluation_mismatch loop_paused ineligible approved_unapplied"),
  ...refusals("propose", "applied_already"),
  ...refusals("schedule", "leased awaiting_decision decision_unapplied"),
];

describe("evaluations under random operations", { timeout: 60_000 + SEEDS * 10_000 }, () => {
  const house = testHouse();
  const outcomes = new Set<string>();

  it(`${SEEDS} seeds of ${STEPS} operations answer and leave what a plain model of them says`, async () => {
    for (let seed = FROM; seed < FROM + SEEDS; seed++)
      await playSeed(house, { seed, length: STEPS, outcomes });
    if (SEEDS >= MANY_SEEDS)
      assert.deepEqual(
        REACHED.filter((each) => !outcomes.has(each)),
        [],
        "every answer was reached",
      );
  });

  it("leave one lease each, changes that were applied once, with the approval of people where it was named", async () => {
    const { rows } = await sql<{ what: string }>`
      select 'applied twice' as what from applied_mutations
      group by campaign_id, evaluation_at, payload_hash having count(*) > 1
      union all
      select 'approval used twice' from applied_mutations where proposal_id is not null
      group by proposal_id having count(*) > 1
      union all
      select 'approval of something else' from applied_mutations a join proposals p on p.id = a.proposal_id
      where p.status <> 'approved' or p.decided_at > a.applied_at or p.expires_at <= a.applied_at
        or p.campaign_id <> a.campaign_id or p.payload_hash <> a.payload_hash
      union all
      select 'two leases' from evaluation_claims where ended_at is null
      group by campaign_id having count(*) > 1`.execute(house.database.kysely);
    assert.deepEqual(rows, []);
    assert.deepEqual(await house.differences(), {});
  });
});
