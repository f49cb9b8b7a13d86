import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { uuidFor } from "../src/domain/ids.ts";
import { findCampaign, readAllocation } from "../src/features/campaigns/authoring/public.ts";
import { pageIn, readPage } from "../src/features/deliveries/public.ts";
import { takeCensusNow } from "../src/features/eligibility/take-census.ts";
import { findCandidates as findMailed } from "../src/features/email/sending/plan/plan-store.ts";
import { readCampaignSpec } from "../src/features/push/sending/definition-store.ts";
import { findCandidates as findPushed } from "../src/features/push/sending/plan/plan-store.ts";
import type { Db } from "../src/platform/db/db.ts";
import { atOneInstant } from "../src/platform/db/transactions/at-one-instant.ts";
import { HOUR_MS } from "../src/platform/time/clock.ts";
import { all, any, days, event, expression, type Node, not, trait, user } from "./audience/trees.ts";
import { launchEmail, sendingProject as mailingProject } from "./email.ts";
import type { TestProject } from "./harness.ts";
import { type SmtpPeer, startSmtp } from "./peers/smtp.ts";
import { MESSAGE, PUSH, pushHouse, reachable } from "./push.ts";
import { countRowsRead } from "./rows-read.ts";

const { house, sendingProject } = await pushHouse();

const PAGE = 2_000;
const FEW = 5_000;
const MANY = 40_000;

/** Users with an address that only the server can read, and two events each. `areKnown`: whether the statistics are of now. */
async function fill(projectId: string, from: number, to: number, areKnown = true): Promise<void> {
  const { pool } = house.database.background;
  const made = `(
    select n, 'user-' || n as id, get_byte(digest, 0) >> 2 as lane, encode(substring(digest from 1 for 16), 'hex')::uuid as user_key
    from generate_series($2::int, $3::int - 1) n,
      lateral (select sha256(convert_to($1::text, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest) d
  ) p`;
  const values = [projectId, from, to];
  await pool.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, $1::uuid, id, jsonb_build_object('plan', n % 2, 'email', id || '@' || repeat('x', 60) || '.example'), 0, 0
    from ${made}`,
    values,
  );
  await pool.query(
    `insert into events (lane, user_key, event_id, project_id, name, ts)
    select lane, user_key, name, $1::uuid, name, $4 from ${made}, unnest('{seen,paid}'::text[]) name`,
    [...values, house.now() - 1000],
  );
  await pool.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, $1::uuid, 1, $4, $4 from ${made}, unnest('{seen,paid}'::text[]) name`,
    [...values, house.now() - 1000],
  );
  if (areKnown) await pool.query("vacuum analyze users, events, event_counts, deliveries");
}

const COUNTED = ["users", "events", "event_counts", "deliveries", "push_recipients"] as const;

/** What a reader answers, and how many rows of these tables it read. */
const reading = <T>(read: (db: Db) => Promise<T>) =>
  atOneInstant(house.database.background.kysely, (tx) => countRowsRead(tx, COUNTED, () => read(tx)));

const MESSAGES = {
  web_inapp: { message: { presentation: "toast", title: "Hello {{ user.name }}" } },
  email: { message: { subject: "Hi", body: "Hi" } },
  push: { message: { ...MESSAGE, title: "Hello {{ user.plan }}" }, push: PUSH },
} as const;
type Channel = keyof typeof MESSAGES;

/** A draft for an audience, or for everybody. */
async function draft({ api }: TestProject, channel: Channel, root: Node | null = null): Promise<string> {
  const audience =
    root === null ? {} : { audience: { kind: "expression" as const, expression: expression(root) } };
  const { campaign } = await api.createCampaign({
    body: { name: "To many", channel, ...MESSAGES[channel], ...audience },
  });
  return campaign.id;
}

/** Reads the page after a user of the second lane, or the first one. */
async function readOne(
  { projectId }: TestProject,
  id: string,
  channel: "email" | "push",
  isFirst = false,
  which: "new" | "undelivered" = "new",
) {
  const campaignId = uuidFor("cmp", id);
  const { kysely } = house.database;
  const allocation = await readAllocation(kysely, projectId, campaignId);
  const spec = channel === "push" ? await readCampaignSpec(kysely, projectId, campaignId) : null;
  const behind = isFirst ? null : { lane: 1, userKey: "06000000-0000-0000-0000-000000000000" };
  const { answer, rows } = await reading(async (db) => {
    const place = { after: behind, evaluatedAt: house.now() };
    const isOneDevice = spec?.settings.selection.kind === "specific";
    const page = await readPage(db, projectId, allocation?.audience, place, isOneDevice);
    assert.ok(page);
    const found =
      spec === null
        ? await findMailed(db, { projectId, campaignId }, { withholds: false }, page)
        : await findPushed(db, { ...spec, which }, page);
    return { range: page.range, found: found.length };
  });
  return { ...answer, rows };
}

describe("a page of an audience", () => {
  let project: TestProject;
  let neighbour: TestProject;
  before(async () => {
    project = await sendingProject();
    neighbour = await sendingProject();
    await fill(neighbour.projectId, 0, 3_000);
    await fill(project.projectId, 0, FEW);
  });

  const AUDIENCES: [string, Node | null, number][] = [
    ["everybody", null, 1],
    ["those who did something lately", event("paid", { window: days(2) }), 1],
    ["those who did something, and half of all", all(event("seen"), trait("plan", "eq", 1)), 2],
    ["those who did not do something", not(event("left", { window: days(2) })), 1],
  ];

  async function expectOwnRows(owner: TestProject): Promise<void> {
    for (const [name, root, share] of AUDIENCES)
      for (const channel of ["email", "push"] as const) {
        const { found, rows, range } = await readOne(owner, await draft(owner, channel, root), channel);
        const at = `${name}, ${channel}: ${found} found in ${JSON.stringify(rows)}`;
        assert.ok(range.until !== null, at);
        assert.ok(Math.abs(found - PAGE / share) < PAGE / 8, at);
        assert.ok(rows.users <= 3 * PAGE, at);
        assert.ok(rows.events <= 2 * PAGE && rows.event_counts <= 2 * PAGE, at);
      }
  }

  it(`reads at most three times its users, and what they did, of ${FEW} users`, () => expectOwnRows(project));

  it(`reads no more of ${MANY}`, async () => {
    await fill(project.projectId, FEW, MANY);
    await expectOwnRows(project);
  });

  for (const [name, known] of [
    ["do not know yet", 0],
    ["knew when it had few users", 60],
  ] as const)
    it(`reads no more of a project that the statistics ${name}`, async () => {
      const young = await sendingProject();
      if (known > 0) await fill(young.projectId, 0, known);
      await fill(young.projectId, known, MANY / 4, false);
      await expectOwnRows(young);
    });

  it("reads no users of a larger project beside", async () => {
    for (const channel of ["email", "push"] as const) {
      const { found, rows } = await readOne(neighbour, await draft(neighbour, channel), channel, true);
      assert.equal(found, PAGE);
      assert.ok(rows.users <= 3 * PAGE, JSON.stringify(rows));
    }
  });

  it("reads no messages of other users, though the statistics do not know the campaign yet", async () => {
    const { pool } = house.database.background;
    const queue = async (id: string, where: string) => {
      const given = [uuidFor("cmp", id), project.projectId];
      const theirs = `from users where project_id = $2 and ${where}`;
      await pool.query(
        `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
        select lane, user_key, $1, project_id, $1, 'queued', 1 ${theirs}`,
        given,
      );
      await pool.query(
        `insert into push_recipients (lane, user_key, campaign_id, send_id, project_id, state, reason, checked_at, created_at)
        select lane, user_key, $1, $1, project_id, 'waiting', 'no_token', 1, 1 ${theirs}`,
        given,
      );
    };
    await queue(await draft(project, "email"), "true");
    await pool.query("vacuum analyze deliveries, push_recipients");
    for (const [channel, which] of [
      ["email", "new"],
      ["push", "new"],
      ["push", "undelivered"],
    ] as const) {
      const young = await draft(project, channel);
      await queue(young, "lane = 0");
      const { found, rows } = await readOne(project, young, channel, false, which);
      const at = `${channel}, ${which}: ${JSON.stringify(rows)}`;
      assert.equal(found, PAGE, at);
      assert.ok(rows.deliveries + rows.push_recipients <= PAGE, at);
    }
    const few = await draft(project, "push");
    await queue(few, "lane = 0");
    const spec = await readCampaignSpec(house.database.kysely, project.projectId, uuidFor("cmp", few));
    assert.ok(spec);
    const page = pageIn({ after: null, until: null }, { kind: "all" }, house.now());
    assert.ok(page);
    const { answer, rows } = await reading((db) => findPushed(db, { ...spec, which: "waiting" }, page));
    assert.ok(answer.length > 0 && answer.length < PAGE);
    assert.ok(rows.users <= 3 * PAGE, `those who wait: ${JSON.stringify(rows)}`);
  });

  it("has all users whom the audience lists, and reads them alone", async () => {
    const listed = Array.from({ length: 50 }, (_, n) => `user-${n * 700}`);
    const root = any(user("id", "in", listed), all(trait("plan", "eq", 0), user("id", "eq", "user-7")));
    for (const channel of ["email", "push"] as const) {
      const { found, rows, range } = await readOne(
        project,
        await draft(project, channel, root),
        channel,
        true,
      );
      assert.deepEqual([found, range], [50, { after: null, until: null }]);
      assert.ok(rows.users <= 3 * 51, JSON.stringify(rows));
    }
  });
});

describe("a push to one device of a large project", () => {
  it("reads the users of that device alone", async () => {
    const project = await sendingProject();
    await fill(project.projectId, 0, MANY);
    const { installationId } = await reachable(project, "user-7");
    const { campaign } = await project.api.createCampaign({
      body: {
        name: "One",
        channel: "push",
        message: MESSAGE,
        push: { ...PUSH, selection: { kind: "specific", installationId } },
      },
    });
    const { found, rows } = await readOne(project, campaign.id, "push", true);
    assert.equal(found, 1);
    assert.ok(rows.users <= 3, JSON.stringify(rows));
  });
});

describe("a census that judges users one by one", () => {
  for (const channel of ["web_inapp", "email", "push"] as const)
    it(`reads each user of a project a few times: ${channel}`, async () => {
      const project = await sendingProject();
      await fill(project.projectId, 0, 9_000);
      const { projectId } = project;
      const id = await draft(project, channel);
      const found = await findCampaign(house.database.kysely, projectId, uuidFor("cmp", id));
      assert.ok(found);
      const { answer, rows } = await reading((db) =>
        takeCensusNow({ app: house.tidings.app, db, projectId, now: house.now() }, found),
      );
      assert.equal(answer.matched, 9_000);
      const [reason] = answer.unreachable.filter(({ users }) => users > 0);
      assert.deepEqual(
        [answer.willReceive, reason?.reason],
        channel === "push" ? [0, "no_installation"] : [9_000, undefined],
      );
      // Email counts the users, reads those whose address SQL cannot judge, and counts twice with them.
      assert.ok(rows.users <= 4 * 9_000, JSON.stringify(rows));
    });
});

describe("a sweep over several pages", () => {
  let smtp: SmtpPeer;
  before(async () => {
    smtp = await startSmtp();
  });
  after(() => smtp.close());

  it("sends each user one mail, and finds whoever comes later among them", async () => {
    const project = await mailingProject(house, smtp.port);
    await fill(project.projectId, 0, 4_100);
    const campaign = await launchEmail(project);
    const swept = async () => {
      await house.drain();
      const { rows } = await house.database.pool.query<{ deliveries: number; sweeps: number }>(
        `select (select count(*) from deliveries where campaign_id = $1) as deliveries, sweeps
        from campaign_sweeps where campaign_id = $1`,
        [uuidFor("cmp", campaign.id)],
      );
      const mailed = smtp.taken.map(({ to }) => to);
      return { ...rows[0], mails: mailed.length, addresses: new Set(mailed).size };
    };
    assert.deepEqual(await swept(), { deliveries: 4_100, sweeps: 1, mails: 4_100, addresses: 4_100 });
    await fill(project.projectId, 4_100, 4_103);
    house.advance(HOUR_MS);
    assert.deepEqual(await swept(), { deliveries: 4_103, sweeps: 2, mails: 4_103, addresses: 4_103 });
  });
});
