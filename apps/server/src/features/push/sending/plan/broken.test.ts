import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestProject } from "../../../../../test/harness.ts";
import { inspect, launchPush, MESSAGE, pushHouse, reachable } from "../../../../../test/push.ts";
import { uuidOf } from "../../../../domain/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";

const { house, sendingProject } = await pushHouse();

/** Half a minute of work. An error of the failing campaign is expected, and must not stop the others. */
async function work(): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await house.drain().catch(() => undefined);
    house.advance(3 * SECOND_MS);
  }
}

const accepted = async (project: TestProject, id: string): Promise<number> =>
  (await inspect(project, id)).devices.accepted;

describe("a push campaign that fails", () => {
  for (const [when, isPlanned] of [
    ["before it is planned", false],
    ["after it was planned", true],
  ] as const)
    it(`by what it says, ${when}, keeps no other one from being planned and sent`, async () => {
      const { pool } = house.database;
      const [project, other] = [await sendingProject(), await sendingProject()];
      for (const each of [project, other]) await reachable(each, "ada");
      const launched = async (owner: TestProject, name: string) => {
        house.advance(1);
        return (await launchPush(owner, { name })).id;
      };
      const broken = await launched(project, "Broken");
      if (isPlanned) await project.api.dispatchCampaignPush({ path: { id: broken } });
      const sibling = await launched(project, "Of the same project");
      const stranger = await launched(other, "Of another project");
      const damage = (content: unknown) =>
        pool.query("update variants set content = $2 where campaign_id = $1", [
          uuidOf("cmp", broken),
          JSON.stringify(content),
        ]);
      await damage({ title: 5 });
      await work();
      assert.deepEqual([await accepted(project, sibling), await accepted(other, stranger)], [1, 1]);
      assert.equal(await accepted(project, broken), 0);
      const { rows } = await pool.query<{ fault: string }>(
        "select fault from campaign_sweeps where campaign_id = $1",
        [uuidOf("cmp", broken)],
      );
      assert.match(rows[0]?.fault ?? "", isPlanned ? /reserved/ : /audience/);
      await damage(MESSAGE);
      house.advance(10 * MINUTE_MS);
      await work();
      assert.equal(await accepted(project, broken), 1);
      assert.deepEqual(await house.differences(), {});
    });
});
