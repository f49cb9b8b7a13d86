import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchEmail, people, setSettings } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";
import { launchPush, pushHouse, reachable } from "../../../test/push.ts";
import { launchForVisitors, openBrowser, visitedProject } from "../../../test/visitors.ts";
import { userRef } from "../../domain/ids.ts";
import { newUuid } from "../../platform/uuid.ts";
import { insertCaughtMail } from "../email/transport/mail-catcher-store.ts";

const push = await pushHouse();
const { house } = push;

/** Ids and addresses that stand nowhere by chance. */
const USER = "okapi-19f3";
const [FORMER, ADDRESS] = ["Tapir.19f3@former.example", "Quokka.19f3@present.example"];
const TRACES = [USER, "tapir.19f3", "quokka.19f3"];

/** The tables that have a trace of the user in any of their columns, also as bytes. */
async function tablesWith(traces: readonly string[]): Promise<string[]> {
  const { pool } = house.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'people') and table_type = 'BASE TABLE'`,
  );
  assert.ok(tables.length > 80, `${tables.length} tables`);
  const patterns = traces.flatMap((each) =>
    [each, Buffer.from(each).toString("hex")].map((text) => `%${text}%`),
  );
  const found: string[] = [];
  for (const { name } of tables) {
    // Bytes are compared without regard to case as well: those of a mail are text.
    const { rows } = await pool.query(
      `select from ${name} t where lower(to_jsonb(t)::text) like any($1)
        or exists (select from jsonb_each_text(to_jsonb(t)) f where f.value ~ '^\\\\x([0-9a-f]{2})*$'
          and lower(encode(decode(substr(f.value, 3), 'hex'), 'escape')) like any($1)) limit 1`,
      [patterns],
    );
    if (rows.length > 0) found.push(name);
  }
  return found.toSorted();
}

describe("after an erasure", () => {
  it("no table has the id or an address of the user, and mail to them stays as it was decided", async () => {
    const project = await push.sendingProject();
    const { api, sdk } = project;
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
    });
    const identify = (by: typeof sdk, email: string) =>
      by.identify({ body: { userId: USER, traits: { email, name: USER } } });
    await identify(sdk, FORMER);
    await people(project, ["ada"]);
    await sdk.track({ body: { userId: USER, event: "looked", props: { by: USER } } });
    await launchCampaign(project, {
      message: { presentation: "toast", title: "Hi {{ user.name | default: 'you' }}" },
    });
    for (const { deliveryId } of await messagesOf(project, USER))
      await feedback(project, deliveryId, USER, "shown");
    const { id } = await launchEmail(project);
    await reachable(project, USER);
    await launchPush(project);
    await house.drain();
    await identify(api, ADDRESS);
    const { client: editor } = await clientOf(house, project.projectId, "editor");
    let tests = 0;
    const test = (address: string, userId?: string) =>
      api.sendTestEmail({
        path: { id },
        body: { address, ...(userId === undefined ? {} : { userId }) },
        headers: { "idempotency-key": `test ${tests++}` },
      });
    // To the user's own address filled for no user, and filled with their name to a colleague.
    await test(ADDRESS);
    await test("colleague@acme.example", USER);
    await test("colleague@acme.example", "ada");
    const suppress = () =>
      editor.suppressEmailAddress({ body: { address: ADDRESS }, headers: { "idempotency-key": "suppress" } });
    await suppress();
    const before = await tablesWith(TRACES);
    for (const name of [
      "public.users",
      "public.caught_messages",
      "public.idempotency_keys",
      "public.email_addresses",
    ])
      assert.ok(before.includes(name), `${name} in ${before.join(", ")}`);

    await api.eraseUser({ path: { id: USER } });
    await house.drain();
    assert.deepEqual(await tablesWith(TRACES), []);
    assert.deepEqual(await house.differences(), {});

    const { rows } = await house.database.pool.query<{ recipient: string }>(
      "select recipient from caught_messages where project_id = $1 order by 1",
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ recipient }) => recipient),
      ["ada@example.com", "colleague@acme.example"],
    );
    const again = await refusal(suppress());
    assert.equal(again.status, 409);
    assert.match(again.error, /was forgotten with a user/);
    const refused = await refusal(api.sendTestEmail({ path: { id }, body: { address: ADDRESS } }));
    assert.match(refused.error, /does not want email any more/);
  });

  it("no table has the id or the key of a visitor who became the user, and both are still counted apart", async () => {
    const project = await visitedProject(house);
    const { api } = project;
    const { goal } = await api.createGoal({
      body: { name: "Pays", targetEvent: "paid", holdoutPercent: 50 },
    });
    for (const visitors of ["only", "none"] as const)
      await launchForVisitors(project, { goalId: goal.id, visitors });
    const VISITOR = "tapir-on-a-train";
    // Some are held out, and others are not: what was decided lies in two tables.
    const persons = Array.from({ length: 12 }, (_, n) => ({
      user: `${USER}-${n}`,
      visitor: `${VISITOR}-${n}`,
    }));
    for (const { user, visitor } of persons) {
      const browser = openBrowser(project, visitor);
      await browser.messages();
      await messagesOf(project, user);
      house.advance(1_000);
      await browser.signIn(user);
      await browser.track("paid");
    }
    const traces = [
      USER,
      VISITOR,
      ...persons.flatMap(({ user, visitor }) =>
        [user, `$anon:${visitor}`].map((id) => userRef(project.projectId, id).userKey),
      ),
    ];
    const sides = async () => (await api.getGoalConversions({ path: { id: goal.id } })).holdout;
    const before = await sides();
    const { served, withheld } = before;
    assert.equal(served.pending.exposedUsers + withheld.pending.exposedUsers, 2 * persons.length);
    const tables = await tablesWith(traces);
    for (const name of ["public.identities", "public.deliveries", "public.withheld_deliveries"])
      assert.ok(tables.includes(name), `${name} in ${tables.join(", ")}`);

    for (const { user } of persons) await api.eraseUser({ path: { id: user } });
    await house.drain();
    assert.deepEqual(await tablesWith(traces), []);
    const after = await sides();
    assert.deepEqual([after.served, after.withheld], [before.served, before.withheld]);
    assert.deepEqual(await house.differences(), {});
  });

  it("mail that was on its way to the outbox is not kept", async () => {
    const project = await house.project();
    await people(project, ["ada"]);
    const user = userRef(project.projectId, "ada");
    const keep = () =>
      insertCaughtMail(house.database.kysely, project.projectId, {
        id: newUuid(house.now()),
        recipient: "ada@example.com",
        raw: Buffer.from("Hi ada"),
        at: house.now(),
        user,
      });
    await keep();
    await project.api.eraseUser({ path: { id: "ada" } });
    await keep();
    const { rowCount } = await house.database.pool.query(
      "select from caught_messages where project_id = $1",
      [project.projectId],
    );
    assert.equal(rowCount, 0);
  });
});
