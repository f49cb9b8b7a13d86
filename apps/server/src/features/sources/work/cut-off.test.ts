import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "kysely";
import { contentsOf } from "../../../../test/contents.ts";
import { toast } from "../../../../test/factories.ts";
import { ownRepository } from "../../../../test/from-code.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  claimed,
  creating,
  drafted,
  dueRef,
  look,
  managedHouse,
  planFor,
  reconcile,
  refused,
  workProject,
} from "../../../../test/source-work.ts";

const house = managedHouse();
const MOST_WRITES = 200;

/** Has PostgreSQL end the connection that makes the n-th write from now on, as the end of the process would; null for none. */
async function cutAt(n: number | null): Promise<void> {
  await sql`select setval('writes', 1, false)`.execute(house.database.kysely);
  await sql.raw(`update cut set at = ${n ?? 0}`).execute(house.database.kysely);
}

/** Everything that is stored, but for how far sources were looked at: a look is a matter of its own. */
async function stored(): Promise<Record<string, string>> {
  const { sources: _, idempotency_keys: __, ...contents } = await contentsOf(house);
  return contents;
}

/** Cuts something off at each of its writes, one after the other, until it comes through; answers how often it was cut off. */
async function cutEverywhere(act: () => Promise<unknown>): Promise<number> {
  const untouched = await stored();
  for (let n = 1; n <= MOST_WRITES; n++) {
    await cutAt(n);
    try {
      await act();
      await cutAt(null);
      return n - 1;
    } catch (cause) {
      const { status } = await refused(Promise.reject(cause));
      assert.ok(status >= 500, `write ${n}: ${status}`);
    }
    await cutAt(null);
    assert.deepEqual(await stored(), untouched, `write ${n}`);
  }
  throw new Error("It never came through.");
}

describe("source work that is cut off", { skip: WITHOUT_GIT }, () => {
  before(async () => {
    const { kysely } = house.database;
    await sql`create sequence writes`.execute(kysely);
    await sql`create table cut (at bigint)`.execute(kysely);
    await sql`insert into cut values (0)`.execute(kysely);
    await sql`create function cut_off() returns trigger language plpgsql as $$
      begin
        if (select at from cut) > 0 and nextval('writes') = (select at from cut) then
          perform pg_terminate_backend(pg_backend_pid());
        end if;
        return null;
      end $$`.execute(kysely);
    for (const table of [
      "source_refs",
      "source_claims",
      "source_contributions",
      "source_plans",
      "agent_days",
      "agent_runs",
      "campaigns",
      "variants",
      "source_changes",
      "agent_run_heads",
      "projects",
    ])
      await sql
        .raw(
          `create trigger cut_off after insert or update or delete on ${table} for each row execute function cut_off()`,
        )
        .execute(kysely);
  });

  it("is done as a whole or not at all, wherever that is: claim, plan, and what needs no model", async () => {
    const repository = ownRepository();
    const project = await workProject(house, repository);
    const { campaign } = await project.api.createCampaign({ body: { name: "Mine", message: toast("Mine") } });
    const [a, b, c] = ["a", "b", "c"].map((name) =>
      repository.commit({ [name]: `${name}\n` }, `Add ${name}`),
    );
    await look(house);
    const refId = await dueRef(project);
    let token = "";
    const claims = await cutEverywhere(async () => {
      const answer = await project.agent.claimRef({ path: { refId }, body: {} });
      token = answer.state === "claimed" ? answer.claim.leaseToken : "";
    });
    assert.ok(claims >= 3, `${claims} writes`);
    assert.equal((await project.agent.listDueRefs()).runsUsedToday, 1);
    assert.match(token, /^lease_/);

    // The lease is not known here any more: it runs out, and the work is claimed once more.
    house.advance(3_600_000);
    const claim = await claimed(house, project);
    const base = claim.drafts[0]?.contentHash ?? "";
    const edits = [{ field: "title" as const, before: "Mine", after: "Mine, with c" }];
    const patch = { variants: [{ id: campaign.variants[0]?.id ?? "", edits }] };
    const plan = planFor(claim, [
      creating([a ?? ""], "A"),
      creating([b ?? ""], "B"),
      { op: "revise", shas: [c ?? ""], campaignId: campaign.id, baseContentHash: base, patch },
    ]);
    const plans = await cutEverywhere(() => reconcile(project, claim, plan));
    assert.ok(plans >= 15, `${plans} writes`);
    assert.equal((await project.api.listCampaigns()).total, 3);
    assert.equal((await reconcile(project, claim, plan)).replayed, true);

    repository.git("revert", "--no-edit", "HEAD");
    await look(house);
    const withdrawals = await cutEverywhere(async () => {
      const { state } = await project.agent.claimRef({ path: { refId }, body: {} });
      assert.equal(state, "settled");
    });
    assert.ok(withdrawals >= 5, `${withdrawals} writes`);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("is done once where a plan comes twice at the same time", async () => {
    const repository = ownRepository();
    const project = await workProject(house, repository);
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    const claim = await claimed(house, project);
    const plan = planFor(claim, [creating([sha])]);
    const answers = await Promise.all([1, 2, 3].map(() => reconcile(project, claim, plan)));
    assert.deepEqual(answers.map(({ replayed }) => replayed).sort(), [false, true, true]);
    assert.equal((await project.api.listCampaigns()).total, 1);
  });

  it("waits for a person who changes the draft at the same time, and is refused then", async () => {
    const repository = ownRepository();
    const project = await workProject(house, repository);
    repository.commit({ "a.css": "a\n" }, "Add A");
    const { id, name, variants } = await drafted(house, project);
    const sha = repository.commit({ "b.css": "b\n" }, "Add B");
    const claim = await claimed(house, project);
    const draft = claim.drafts[0];
    const edits = [{ field: "title" as const, before: name, after: "Another" }];
    const op = {
      op: "revise" as const,
      shas: [sha],
      campaignId: id,
      baseContentHash: draft?.contentHash ?? "",
      patch: { variants: [{ id: variants[0]?.id ?? "", edits }] },
    };
    const [person, plan] = await Promise.allSettled([
      project.api.updateCampaign({ path: { id }, body: { message: toast("By a person") } }),
      reconcile(project, claim, planFor(claim, [op])),
    ]);
    assert.equal(person.status, "fulfilled");
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual(campaign.variants[0]?.content, toast("By a person"));
    if (plan.status === "rejected") assert.equal((await refused(Promise.reject(plan.reason))).status, 409);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});
