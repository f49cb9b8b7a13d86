import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { migrate } from "../../src/platform/db/migrate.ts";
import { newUuid } from "../../src/platform/uuid.ts";
import { BEGAN, CHAINED, differencesOf, id, oldDatabases, projectId, type Run } from "./old-database.ts";

const { oldDatabase, served } = oldDatabases();

describe("an upgrade, of verdicts and texts,", () => {
  it("keeps the chain of runs whole, and guesses the writer of none", async () => {
    const { tidings, project } = await served(await oldDatabase("0084_lifted_suppressions.sql"));
    try {
      const { run } = await project.agent.createAgentRun({ body: { kind: "note" } });
      assert.deepEqual([run.writtenBy, run.chain?.seq], ["agent", CHAINED.length + 1]);
      const { runs } = await project.api.listAgentRuns();
      assert.deepEqual(
        runs.filter(({ chain }) => chain !== null).map(({ writtenBy }) => writtenBy),
        ["agent", null, null],
      );
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });

  it("says of each place in the order of verdicts which texts it is about, where that is known", async () => {
    const pool = await oldDatabase("0078_revision_of_goals.sql");
    const run: Run = (sql, values = []) => pool.query(sql, [...values]);
    /** A campaign with variants A (the control), B …; the digests of their contents by epoch, and their tests: `t` and the verdict's instant. */
    async function campaignWith(
      name: string,
      variants: readonly string[],
      epochs: readonly (readonly (string | null)[])[],
      tests: Readonly<Record<string, readonly [t: number, verdictAt: number | null]>>,
    ): Promise<void> {
      const campaignId = newUuid(BEGAN);
      await run(
        `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, audience, epoch)
        values ($1, $2, $3, $4, 'web_inapp', $5, 'api', $6, '{"kind": "all"}', $7)`,
        [
          campaignId,
          projectId,
          name,
          epochs.length === 0 ? "draft" : "running",
          id.goal,
          BEGAN,
          epochs.length,
        ],
      );
      for (const [position, called] of variants.entries()) {
        const variantId = newUuid(BEGAN + position);
        await run(
          `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
          values ($1, $2, $3, $4, $5, 1, $6, '{}')`,
          [variantId, campaignId, projectId, position, called, position === 0],
        );
        for (const [epoch, digests] of epochs.entries())
          if (digests[position] !== null)
            await run(
              `insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
              values ($1, $2, $3, $4, 1, $5, $6, 0, $2 * 10)`,
              [campaignId, epoch + 1, variantId, projectId, digests[position], id.goal],
            );
        const [t, verdictAt] = tests[called] ?? [];
        if (t !== undefined)
          await run("insert into verdict_tests values ($1, $2, $3, $4, $5, 0.01, $6)", [
            id.goal,
            t,
            projectId,
            campaignId,
            variantId,
            verdictAt ?? null,
          ]);
      }
    }
    await campaignWith(
      "Edited",
      ["A", "B", "C", "D"],
      [
        ["a", "b", "c", null],
        ["a", "b2", "c", null],
        ["a", "b2", "c", "d"],
      ],
      { B: [1, null], C: [2, null], D: [3, null] },
    );
    await campaignWith(
      "Control edited and back",
      ["A", "B"],
      [
        ["a", "b"],
        ["a2", "b"],
        ["a", "b"],
      ],
      { B: [4, null] },
    );
    await campaignWith(
      "Edited after its verdict",
      ["A", "B"],
      [
        ["a", "b1"],
        ["a", "b2"],
        ["a", "b2"],
        ["a", "b3"],
      ],
      { B: [5, 30] },
    );
    await campaignWith("Not launched", ["A", "B"], [], { B: [6, null] });
    await campaignWith("Now the control", ["A", "B"], [["a", "b"]], { A: [7, 5], B: [8, 5] });
    await migrate(pool);
    const { rows } = await pool.query<Record<string, unknown>>(
      `select t, k.name as control, since_epoch as since, event, attribution_days as days, verdict_at is not null as has_verdict
      from verdict_tests left join variants k on k.id = control_id order by t`,
    );
    const verdictTest = (since: number, has_verdict = false) => ({
      control: "A",
      since,
      event: "paid",
      days: 7,
      has_verdict,
    });
    const unknown = { control: null, since: null, event: null, days: null, has_verdict: true };
    const expected = [
      verdictTest(2),
      verdictTest(1),
      verdictTest(3),
      verdictTest(3),
      verdictTest(2, true),
      verdictTest(1),
      unknown,
      unknown,
    ];
    assert.deepEqual(
      rows,
      expected.map((row, index) => ({ t: index + 1, ...row })),
    );
    await pool.end();
  });

  it("keeps what users read now with the first epoch that had it, and knows no text that was edited before", async () => {
    const pool = await oldDatabase("0087_sources_of_operators.sql");
    const [campaignId, variantId] = [newUuid(BEGAN), newUuid(BEGAN + 1)];
    await pool.query(
      `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, audience, epoch)
      values ($1, $2, 'Edited', 'running', 'web_inapp', $3, 'api', $4, '{"kind": "all"}', 3)`,
      [campaignId, projectId, id.goal, BEGAN],
    );
    await pool.query(
      `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      values ($1, $2, $3, 0, 'A', 1, true, '{"title": "Now"}')`,
      [variantId, campaignId, projectId],
    );
    for (const [epoch, title] of ["Former", "Now", "Now"].entries())
      await pool.query(
        `insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
        values ($1, $2, $3, $4, 1, encode(sha256(convert_to($5::jsonb::text, 'UTF8')), 'hex'), $6, 0, $2 * 10)`,
        [campaignId, epoch + 1, variantId, projectId, JSON.stringify({ title }), id.goal],
      );
    await migrate(pool);
    const { rows } = await pool.query<{ content: unknown }>(
      "select content from allocations where campaign_id = $1 order by epoch",
      [campaignId],
    );
    assert.deepEqual(
      rows.map(({ content }) => content),
      [null, { title: "Now" }, null],
    );
    await pool.end();
  });
});
