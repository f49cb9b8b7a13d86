import { uuidOf } from "../../src/domain/ids.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import type { TestHouse } from "../harness.ts";

type Shown = { projectId: string; campaignId: string; variantId: string | null };

/** How many users have matured and how many of them converted, and the same of those who are pending. */
type Counts = readonly number[];

/**
 * Users who saw a variant, or were held out where `variantId` (UUID) is null. Those who have matured came evenly over the 20 days before
 * the last 7, the others within the last 7 full days; converters are spread evenly among them, and converted within an hour.
 */
export async function exposeUsers(
  house: TestHouse,
  { projectId, campaignId, variantId }: Shown,
  [matured = 0, converted = 0, pending = 0, convertedSoFar = 0]: Counts,
): Promise<void> {
  const today = house.now() - (house.now() % DAY_MS);
  for (const [users, hits, firstDay, days] of [
    [matured, converted, 8, 20],
    [pending, convertedSoFar, 1, 7],
  ] as const) {
    const chosen = `select ('00000000-0000-4000-8000-' || lpad(to_hex((random() * 1e14)::int8), 12, '0'))::uuid as user_key,
      $1::int8 - ($2::int8 + n * $3::int8 / $4::int8) * ${DAY_MS}::int8 + ${DAY_MS * 0.75}::int8 as at,
      (n + 1) * $5::int8 / $4::int8 > n * $5::int8 / $4::int8 as converts
      from generate_series(0, $4::int8 - 1) n`;
    const insertion =
      variantId === null
        ? `insert into withheld_deliveries (lane, user_key, campaign_id, project_id, epoch, withheld_at)
          select 0, user_key, $6, $7, 1, at from chosen where $8::uuid is null`
        : `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, epoch, state, queued_at, shown_at, exposed_at)
          select 0, user_key, $6, $7, $8, 1, 'shown', at, at, at from chosen`;
    await house.database.pool.query(
      `with chosen as materialized (${chosen}), decided as (${insertion})
      insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
      select 0, user_key, 'upgraded', $7, 1, at + 3600000, at + 3600000 from chosen where converts`,
      [today, firstDay, days, users, hits, uuidOf("cmp", campaignId), projectId, variantId],
    );
  }
}
