import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { houseReader, isSpread } from "../../scripts/statements/placed.ts";
import { FIRST_OCCASION, userRef, uuidOf } from "../../src/domain/ids.ts";
import { mutateCampaign } from "../../src/features/agent/evaluations/changes/mutate-campaign.ts";
import { claimEvaluation } from "../../src/features/agent/evaluations/leases/claim-evaluation.ts";
import { NO_SHAPE } from "../../src/features/counting/rollups/rules.ts";
import { periodAt } from "../../src/features/counting/usage/rules.ts";
import { revertHits } from "../../src/features/deliveries/lifecycle/revert-store.ts";
import { recordDeliveryEvents } from "../../src/features/deliveries/public.ts";
import { addressRef } from "../../src/features/email/addresses/public.ts";
import { readSenderSettings } from "../../src/features/email/sending/open-sender.ts";
import { leaseSends } from "../../src/features/email/sending/send/lease.ts";
import { beginSends } from "../../src/features/email/sending/send/lease-store.ts";
import { recordOutcome } from "../../src/features/email/sending/send/outcomes.ts";
import { eraseUser } from "../../src/features/erasure/erase-user.ts";
import type { Judged } from "../../src/features/imports/pieces/judge.ts";
import { writePiece } from "../../src/features/imports/pieces/write-piece.ts";
import { recordObservations } from "../../src/features/ingest/observations/record-observations.ts";
import { recordEvents } from "../../src/features/ingest/tracking/store.ts";
import { countCalls } from "../../src/features/intake/store.ts";
import { afterReply } from "../../src/features/push/sending/rules.ts";
import { leaseSlots } from "../../src/features/push/sending/send/lease.ts";
import {
  recordOutcome as recordPushOutcome,
  slotOutcome,
} from "../../src/features/push/sending/send/outcomes.ts";
import { identifyUsers } from "../../src/features/users/profiles/store.ts";
import { insertDeliveries } from "../../src/features/web/feed-store.ts";
import { applyFeedback } from "../../src/features/web/feedback-store.ts";
import { declaredStatements } from "../../src/platform/db/statements/statement.ts";
import { asHouse } from "../../src/platform/http/contract/endpoint.ts";
import type { App } from "../../src/platform/runtime.ts";
import { DAY_MS, HOUR_MS } from "../../src/platform/time/clock.ts";
import { newUuid } from "../../src/platform/uuid.ts";
import { type Leased, leasedCampaign, PAUSE } from "../agent.ts";
import { feedback, launchCampaign, messagesOf } from "../factories.ts";
import type { TestProject } from "../harness.ts";
import { mailCampaign, sentMail } from "../mail.ts";
import { observingStage, type Scene, TAP } from "../observing.ts";
import { launchPush, putCredential, reachable } from "../push.ts";
import { assertOrder, known, kyselyOf, preparedInActs, type Row, row } from "./order.ts";

const { apns, house, scene } = await observingStage();

/** Two users, in the order of their keys, in two lanes of one pipeline; of the rows of a statement the second one comes first. */
function twoUsers(projectId: string, kind: string) {
  const found = Array.from({ length: 200 }, (_, n) => {
    const externalId = `${kind}-${n}`;
    return { externalId, projectId, ...userRef(projectId, externalId) };
  })
    .filter(({ lane }) => lane % 2 === 0)
    .toSorted((a, b) => a.lane - b.lane);
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined || first.lane === last.lane) throw new Error("Nobody.");
  return [first, last] as const;
}
type User = ReturnType<typeof twoUsers>[number];
type Users = readonly [User, User];

const instantNow = (): number => house.now();
/** A period in which no user is active yet. */
const period = (): number => periodAt(null, instantNow()).key + 1;

const userKey = ({ lane, userKey: user_key }: User) => ({ lane, user_key });
const users = (all: Users) =>
  all.map((user, n) =>
    row(`user ${n}`, "users", userKey(user), {
      project_id: user.projectId,
      external_id: user.externalId,
      first_seen_at: 0,
      last_seen_at: 0,
    }),
  );
const events = (all: Users, event_id: string) =>
  all.map((user, n) =>
    row(
      `event ${n}`,
      "events",
      { ...userKey(user), event_id },
      { project_id: user.projectId, name: "paid", ts: 0 },
    ),
  );
const counts = (all: Users) =>
  all.map((user, n) =>
    row(
      `event count ${n}`,
      "event_counts",
      { ...userKey(user), name: "paid" },
      {
        project_id: user.projectId,
        count: 0,
        first_at: 0,
        last_at: 0,
      },
    ),
  );
const deliveries = (all: Users, campaign: Campaign) =>
  all.map((user, n) =>
    row(
      `delivery ${n}`,
      "deliveries",
      { ...userKey(user), campaign_id: campaign.campaignId, occasion: campaign.occasion },
      {
        project_id: user.projectId,
        variant_id: campaign.variantId,
        state: "queued",
        queued_at: 0,
      },
    ),
  );
const receipts = (all: Users, campaign: Campaign) =>
  all.map((user, n) =>
    row(
      `receipt ${n}`,
      "feedback_receipts",
      { ...userKey(user), feedback_id: "new" },
      {
        campaign_id: campaign.campaignId,
        type: "shown",
        receipt_id: newUuid(instantNow()),
        acknowledged_at: 0,
      },
    ),
  );
const counters = (all: Users, campaign: Campaign) =>
  all.map(({ lane, projectId }, n) =>
    row(
      `counters ${n}`,
      "campaign_stats",
      { lane, campaign_id: campaign.campaignId, variant_id: campaign.variantId },
      { project_id: projectId },
    ),
  );
const active = (all: Users) => [
  ...all.map((user, n) =>
    row(
      `active user ${n}`,
      "active_users",
      { ...userKey(user), period: period() },
      { project_id: user.projectId },
    ),
  ),
  ...all.map(({ lane, projectId }, n) =>
    row(
      `active count ${n}`,
      "active_user_counts",
      { lane, project_id: projectId, period: period() },
      { users: 0 },
    ),
  ),
];

type Campaign = { campaignId: string; occasion: number; variantId: string };
let project: TestProject;
let web: Campaign;

/** Both are known, and have the web campaign's message; it was shown where that is said. */
async function metUsers(kind: string, isShown = false): Promise<Users> {
  const all = twoUsers(project.projectId, kind);
  for (const { externalId } of all) {
    const [message] = await messagesOf(project, externalId);
    if (isShown) await feedback(project, message?.deliveryId ?? "", externalId, "shown");
  }
  return all;
}

/** Statements whose order is not shown: their caller has locked the rows before, or they lock the users in order, and all else is new. */
const WITHOUT_ORDER: Readonly<Record<string, string>> = {
  accept_unknown: "after lock_unknown or lock_sends",
  count_mail_failures: "locks addresses in order; messages of webhooks are new",
  end_webhook_messages: "after lock_webhooks",
  insert_email_sends: "locks users in order; deliveries and sends are new",
  insert_push_recipients: "locks users in order",
  insert_push_slots: "slots, targets and deliveries are new",
  insert_step_messages: "locks users in order; deliveries are new",
  move_journey_entries: "locks entries in order; what is kept of their steps is new",
  move_push_slots: "after lock_due_push_slots",
  return_ended_tokens: "after lock_mended_installations",
  save_hits: "after lock_deliveries_of_hits",
  suppress_addresses: "locks addresses in order; messages of webhooks are new",
  suppress_known_addresses: "the same",
  withhold_push: "locks users in order; deliveries are new",
};

/** The name without what tells variants of a statement apart. */
const familyOf = (name: string): string => name.replace(/_(?:for|of|with|within)_.*$|_any$|_\d+$/, "");

const OWNER = "00000000-0000-4000-8000-000000000001";

/** Both were sent a mail, which is on its way; `set` changes the sends. */
async function mailedUsers(kind: string, set = "begun = true"): Promise<{ all: Users; mail: Campaign }> {
  const all = twoUsers(project.projectId, kind);
  const { pool } = house.database;
  const campaignId = await mailCampaign(house, project);
  for (const { externalId: userId } of all)
    await sentMail(house, project, { userId, status: "sending", campaignId });
  await pool.query(`update email_sends set lease_owner = $2, ${set} where campaign_id = $1`, [
    campaignId,
    OWNER,
  ]);
  return { all, mail: { campaignId, occasion: FIRST_OCCASION, variantId: await variantOf(campaignId) } };
}

async function variantOf(campaignId: string): Promise<string> {
  const statement = "select id from variants where campaign_id = $1";
  const { rows } = await house.database.pool.query<{ id: string }>(statement, [campaignId]);
  return rows[0]?.id ?? "";
}

/** What a handler knows of its caller. */
const contextOf = ({ projectId }: TestProject, app: App) => ({
  app,
  projectId,
  ...asHouse("secret"),
  now: house.now(),
});

const sends = (all: Users, { campaignId }: Campaign) =>
  all.map((user, n) => known(`send ${n}`, "email_sends", { ...userKey(user), campaign_id: campaignId }));
const addresses = (all: Users) =>
  all
    .map(({ projectId, externalId }) => addressRef(projectId, `${externalId}@example.com`))
    .toSorted((a, b) => a.lane - b.lane || (a.addressKey < b.addressKey ? -1 : 1))
    .map(({ lane, addressKey }, n) =>
      known(`address ${n}`, "email_addresses", { lane, address_key: addressKey }),
    );

const backwards = <T>(all: readonly [User, User], read: (user: User) => T): T[] => all.toReversed().map(read);

describe("the order of locks", () => {
  before(async () => {
    project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const campaign = await launchCampaign(project, { goalId: goal.id });
    web = {
      campaignId: uuidOf("cmp", campaign.id) ?? "",
      occasion: FIRST_OCCASION,
      variantId: uuidOf("var", campaign.variants[0]?.id ?? "") ?? "",
    };
  });

  it("of what the feed queues: users, new and known, then deliveries", async () => {
    const all = twoUsers(project.projectId, "fed");
    await project.sdk.identify({ body: { userId: all[1].externalId, traits: {} } });
    await assertOrder(
      house,
      (client) =>
        insertDeliveries(
          client,
          backwards(all, (user) => ({ ...user, ...web, epoch: 1, heldOut: false, ts: instantNow() })),
        ),
      [...users(all), ...deliveries(all, web)],
    );
  });

  it("of feedback: deliveries, receipts, counters, active users", async () => {
    const all = await metUsers("seen");
    await assertOrder(
      house,
      (client) =>
        applyFeedback(10)(
          client,
          backwards(all, (user) => ({
            ...user,
            ...web,
            type: "shown" as const,
            feedbackId: "new",
            receiptId: newUuid(instantNow()),
            at: instantNow(),
            period: period(),
          })),
        ),
      [...deliveries(all, web), ...receipts(all, web), ...counters(all, web), ...active(all)],
    );
  });

  for (const [repeats, what] of [
    [true, "events, some of which may be repeats"],
    [false, "events"],
  ] as const)
    it(`of ${what}: events, users, counts, deliveries, counters, active users`, async () => {
      const all = await metUsers(`buying ${what}`, true);
      const row = (user: User) => ({
        ...user,
        eventId: "new",
        name: "paid",
        props: null,
        shape: NO_SHAPE,
        ts: instantNow(),
        isHistory: false,
        activePeriod: period(),
        now: instantNow(),
        configVersion: 0,
      });
      const reach = { goals: true, active: true, history: true, names: true, repeats };
      await assertOrder(house, (client) => recordEvents(reach, 100)(client, backwards(all, row)), [
        ...events(all, "new"),
        ...users(all),
        ...counts(all),
        ...deliveries(all, web),
        ...counters(all, web),
      ]);
    });

  it("of traits: users, new and known, then active users", async () => {
    const all = twoUsers(project.projectId, "named");
    await messagesOf(project, all[1].externalId);
    await assertOrder(
      house,
      (client, app) =>
        identifyUsers(app.config.limits)(
          client,
          backwards(all, (user) => ({
            ...user,
            traits: '{"plan": "pro"}',
            removed: null,
            isServer: true,
            mayMove: true,
            ts: instantNow(),
            firstSeenAt: null,
            period: period(),
            isVisitor: false,
          })),
        ),
      [...users(all), ...active(all)],
    );
  });

  it("of a piece of a file: events, users, counts, deliveries, counters, then addresses", async () => {
    const all = await metUsers("brought", true);
    const refOf = ({ projectId, externalId }: User) => addressRef(projectId, `${externalId}@example.com`);
    const newAddresses = all
      .map((user) => ({ projectId: user.projectId, ...refOf(user) }))
      .toSorted((a, b) => a.lane - b.lane || (a.addressKey < b.addressKey ? -1 : 1))
      .map(({ lane, addressKey, projectId }, n) =>
        row(`address ${n}`, "email_addresses", { lane, address_key: addressKey }, { project_id: projectId }),
      );
    const now = instantNow();
    const event = { eventId: "brought", name: "paid", props: null, shape: NO_SHAPE, ts: now };
    const stop = { reason: "bounced" as const, at: now, by: "a file", now };
    const brought = { traits: '{"plan": "pro"}', firstSeenAt: 0 };
    const pieceOf = (): Judged => ({
      outcomes: [null],
      lines: [2],
      events: backwards(all, (user) => ({ event: { ...user, ...event }, places: [0] })),
      users: backwards(all, ({ lane, userKey, externalId }) => ({
        user: { lane, userKey, externalId, ...brought },
        places: [0],
      })),
      stops: backwards(all, (user) => {
        const address = `${user.externalId}@example.com`;
        return { stop: { ...refOf(user), projectId: user.projectId, address, ...stop }, places: [0] };
      }),
    });
    await assertOrder(
      house,
      (client, app) => writePiece(app, client, pieceOf(), { projectId: project.projectId, now }),
      [
        ...events(all, "brought"),
        ...users(all),
        ...counts(all),
        ...deliveries(all, web),
        ...counters(all, web),
        ...newAddresses,
      ],
    );
  });

  it("of calls that are counted: hours, by library, call and outcome", async () => {
    const hour = Math.floor(instantNow() / HOUR_MS);
    const all = [
      { library: "a", call: "identify", outcome: "taken" },
      { library: "a", call: "track", outcome: "event_name" },
      { library: "a", call: "track", outcome: "taken" },
      { library: "b", call: "identify", outcome: "taken" },
    ];
    const { projectId } = project;
    await assertOrder(
      house,
      (client) =>
        countCalls(
          client,
          all.toReversed().map((each) => ({ ...each, projectId, hour, count: 1, names: "[]", lastAt: 0 })),
        ),
      all.map((each) =>
        row(
          Object.values(each).join(" "),
          "intake_hours",
          { project_id: projectId, hour, ...each },
          { count: 0, last_at: 0 },
        ),
      ),
    );
  });

  it("of hits that are reverted: deliveries, then counters", async () => {
    const { all, mail } = await mailedUsers("bots");
    await house.database.pool.query("update deliveries set opened_at = 1 where campaign_id = $1", [
      mail.campaignId,
    ]);
    await assertOrder(
      house,
      (client) =>
        revertHits(
          client,
          backwards(all, (user) => ({ ...user, ...mail, opened: true, clicked: false })),
        ),
      [...deliveries(all, mail), ...counters(all, mail)],
    );
  });

  it("of events of sent deliveries: deliveries, counters, active users", async () => {
    const { all, mail } = await mailedUsers("read");
    await assertOrder(
      house,
      (client) =>
        recordDeliveryEvents(
          client,
          backwards(all, (user) => ({
            ...user,
            ...mail,
            event: "opened" as const,
            at: instantNow(),
            period: period(),
          })),
        ),
      [...deliveries(all, mail), ...counters(all, mail), ...active(all)],
    );
  });

  it("of mail that begins: sends", async () => {
    const { all, mail } = await mailedUsers("begun", "begun = false");
    await assertOrder(
      house,
      (client) =>
        beginSends(
          client,
          backwards(all, (user) => ({
            ...user,
            ...mail,
            leaseOwner: OWNER,
            now: instantNow(),
            contentVersion: 1,
          })),
        ),
      sends(all, mail),
    );
  });

  it("of mail that is leased, or not: addresses, deliveries, counters", async () => {
    const { all, mail } = await mailedUsers("leased", "begun = false, status = 'waiting'");
    const { pool } = house.database;
    const { lane, addressKey } = addressRef(project.projectId, `${all[0].externalId}@example.com`);
    await pool.query(
      "update email_addresses set accepted_at = array_fill($3::int8, '{99}') where lane = $1 and address_key = $2",
      [lane, addressKey, instantNow()],
    );
    await pool.query("update email_addresses set on_the_way = 0 where project_id = $1", [project.projectId]);
    await pool.query("update users set address_given_at = null where project_id = $1", [project.projectId]);
    const settings = await readSenderSettings(
      { app: house.tidings.app, db: house.database.kysely, projectId: project.projectId },
      "marketing",
    );
    await assertOrder(
      house,
      (_client, app) =>
        leaseSends(
          app,
          { projectId: project.projectId, purpose: "marketing", settings, leaseOwner: newUuid(instantNow()) },
          mail.campaignId,
        ),
      [...addresses(all), ...deliveries(all, mail), ...counters(all, mail).slice(0, 1)],
    );
  });

  it("of mail that was taken: sends, addresses, deliveries, counters", async () => {
    const { all, mail } = await mailedUsers("taken");
    await assertOrder(
      house,
      (_client, app) =>
        Promise.all(
          backwards(all, (user) =>
            recordOutcome(app, {
              ...user,
              ...mail,
              leaseOwner: OWNER,
              ordinal: 1,
              kind: "accepted",
              code: 250,
              response: "",
              at: instantNow(),
              status: "accepted",
              dueAt: null,
              countsForCap: true,
              capHours: 1,
              bounced: false,
              failed: false,
              acceptedIsDelivered: true,
            }),
          ),
        ),
      [...sends(all, mail), ...addresses(all), ...deliveries(all, mail), ...counters(all, mail)],
    );
  });

  it("of pushes of which one was taken and one was not: slots, deliveries, counters, a token, the credential", async () => {
    const all = twoUsers(project.projectId, "pushed");
    await putCredential(project, apns.credential);
    for (const { externalId } of all) await reachable(project, externalId);
    const { id } = await launchPush(project);
    const campaignId = uuidOf("cmp", id) ?? "";
    await project.api.dispatchCampaignPush({ path: { id } });
    const terms = { projectId: project.projectId, leaseOwner: OWNER, backOffUntil: () => 0 };
    const { leased } = await leaseSlots(house.tidings.app, terms, { campaignId, tests: false });
    const outcomes = all.map(({ userKey }, n) => {
      const push = leased.find(({ slot }) => slot.userKey === userKey);
      assert.ok(push);
      const { slot, captured, state, ordinal, generation } = push;
      const reply =
        n === 1
          ? ({ kind: "accepted", providerId: "taken" } as const)
          : ({ kind: "rejected", code: "Unregistered", class: "token_invalid" } as const);
      const step = afterReply(state, reply, { now: instantNow(), chance: 0, captured, isProven: true });
      const { lane, slotKey } = slot;
      const delivery = { lane, userKey, campaignId, occasion: FIRST_OCCASION };
      const attempted = { ...delivery, slotKey, ordinal, generation, ...terms };
      const { credentialId: id, credentialRevision: revision } = captured;
      const standing = {
        kind: "accepted",
        id,
        revision,
        projectId: project.projectId,
        at: instantNow(),
      } as const;
      const way = { lane: slot.installationLane, installationKey: slot.installationKey, ...captured };
      const moved = { ...step, state: n === 1 ? "accepted" : "closed" } as const;
      return slotOutcome(attempted, reply, moved, instantNow(), way, { ...standing, address: apns.url });
    });
    const [ended] = outcomes.flatMap(({ endedToken }) => endedToken ?? []);
    assert.ok(ended);
    const { lane, installationKey, credentialId } = ended;
    const its = { lane, installation_key: installationKey };
    const campaign = { campaignId, occasion: FIRST_OCCASION, variantId: await variantOf(campaignId) };
    await assertOrder(
      house,
      (_client, app) => Promise.all(outcomes.toReversed().map((outcome) => recordPushOutcome(app, outcome))),
      [
        ...outcomes.map(({ lane, userKey, slotKey }, n) =>
          known(`slot ${n}`, "push_slots", { lane, user_key: userKey, slot_key: slotKey }),
        ),
        ...deliveries(all, campaign),
        ...counters(all, campaign).slice(1),
        known("installation", "installations", its),
        known("token", "installation_tokens", {
          installation_lane: lane,
          installation_key: installationKey,
        }),
        known("credential", "push_credentials", { id: credentialId }),
      ],
    );
  });

  describe("for a user of a device", () => {
    let rows: Row[];
    let at: Scene;
    const named = (name: string): Row => {
      const found = rows.find((each) => each.name === name);
      assert.ok(found, name);
      return found;
    };

    before(async () => {
      at = await scene();
      const { projectId } = at.project;
      const ada = { ...userRef(projectId, "ada"), projectId, externalId: "ada" };
      const campaignId = uuidOf("cmp", at.campaignId) ?? "";
      const its = { ...userKey(ada), campaign_id: campaignId };
      await at.project.sdk.track({ body: { userId: "ada", event: "paid" } });
      const mail = await sentMail(house, at.project, { userId: "ada" });
      const to = addressRef(projectId, mail.address);
      rows = [
        known("user", "users", userKey(ada)),
        known("send", "email_sends", { ...userKey(ada), campaign_id: mail.campaignId }),
        known("address", "email_addresses", { lane: to.lane, address_key: to.addressKey }),
        known("recipient", "push_recipients", its),
        known("slot", "push_slots", its),
        known("delivery", "deliveries", its),
        ...counters([ada, ada], {
          campaignId,
          occasion: FIRST_OCCASION,
          variantId: await variantOf(campaignId),
        }).slice(1),
        known("active user", "active_users", userKey(ada)),
        known("event count", "event_counts", { ...userKey(ada), name: "paid" }),
        known("installation", "installations", { user_key: ada.userKey }),
        known("token", "installation_tokens", { project_id: projectId }),
      ];
    });

    it("of what the device reports: the user, the installation, slots, deliveries, counters", async () => {
      const { project, device, observer } = at;
      const { handle } = recordObservations;
      const commands = [observer.next(TAP)];
      await assertOrder(
        house,
        (_client, app) =>
          handle(
            { ...contextOf(project, app), db: app.database.kysely },
            {
              params: { installationId: device.installationId },
              query: undefined,
              file: null,
              body: { bindingGeneration: 1, commands },
              capability: device.capability,
              secret: null,
            },
          ),
        ["user", "installation", "slot", "delivery", "counters 1"].map(named),
      );
    });

    it("of erasing them: what was sent, deliveries, what counts, installations", async () => {
      const { handle } = eraseUser;
      await assertOrder(
        house,
        (client, app) =>
          handle(
            { ...contextOf(at.project, app), db: kyselyOf(client) },
            {
              params: { id: "ada" },
              query: undefined,
              body: undefined,
              file: null,
              capability: null,
              secret: null,
            },
          ),
        [
          "user",
          "send",
          "address",
          "recipient",
          "slot",
          "delivery",
          "active user",
          "event count",
          "installation",
          "token",
        ].map(named),
      );
    });
  });

  describe("of agents", () => {
    let made: Leased & { goalId: string };
    let rows: (name: string) => Row;

    before(async () => {
      const { projectId } = project;
      made = await leasedCampaign(house, project);
      const campaign_id = uuidOf("cmp", made.id);
      await project.agent.createAgentRun({ body: { kind: "first" } });
      const all = [
        known("campaign", "campaigns", { id: campaign_id }),
        known("goal", "goals", { id: uuidOf("goal", made.goalId) }),
        known("evaluation", "evaluations", { campaign_id }),
        known("day", "agent_days", { project_id: projectId, day: Math.floor(instantNow() / DAY_MS) }),
        known("head of the chain", "agent_run_heads", { project_id: projectId }),
        known("project", "projects", { id: projectId }),
      ];
      rows = (name) => {
        const found = all.find((each) => each.name === name);
        if (found === undefined) throw new Error(name);
        return found;
      };
    });

    it("when they change a campaign: campaign, goal, evaluation, head of the chain, project", async () => {
      const { id, leaseToken, evaluationAt } = made;
      await assertOrder(
        house,
        (client, app) =>
          mutateCampaign.handle(
            { ...contextOf(project, app), db: kyselyOf(client) },
            {
              params: { id },
              query: undefined,
              file: null,
              capability: null,
              secret: null,
              body: { leaseToken, evaluationAt, mutation: PAUSE },
            },
          ),
        ["campaign", "goal", "evaluation", "head of the chain", "project"].map((name) => rows(name)),
      );
    });

    it("when they claim an evaluation: campaign, goal, evaluation, the budget of the day", async () => {
      house.advance(300_000);
      await assertOrder(
        house,
        (client, app) =>
          claimEvaluation.handle(
            { ...contextOf(project, app), db: kyselyOf(client) },
            {
              params: { id: made.id },
              query: undefined,
              file: null,
              capability: null,
              secret: null,
              body: { leaseSeconds: 300 },
            },
          ),
        ["campaign", "goal", "evaluation", "day"].map((name) => rows(name)),
      );
    });
  });

  it("is shown above for every prepared statement that locks rows of several tables by lane, but where that is argued", () => {
    const reader = houseReader();
    const shown = new Set([...preparedInActs].map(familyOf));
    const missing = [...declaredStatements()].flatMap(([name, { text }]) => {
      const { writes, locks } = reader.read(text);
      const its = new Set(
        [...writes.keys(), ...locks.flatMap(({ tables: locked }) => locked)].filter(isSpread),
      );
      return its.size < 2 || shown.has(familyOf(name)) ? [] : [name];
    });
    assert.deepEqual(missing.sort(), Object.keys(WITHOUT_ORDER).sort());
  });
});
