import { createHmac } from "node:crypto";
import { apiId, type DeliveryKey, deliveryId, FIRST_OCCASION, userRef } from "../src/domain/ids.ts";
import { openEpochs } from "../src/features/campaigns/authoring/audience/epoch-store.ts";
import { addressRef } from "../src/features/email/addresses/public.ts";
import { linkSigner } from "../src/features/email/sending/public.ts";
import { changeSettings } from "../src/features/settings/public.ts";
import { settingGroups } from "../src/features.ts";
import type { App } from "../src/platform/runtime.ts";
import { newUuid } from "../src/platform/uuid.ts";
import type { TestHouse, TestProject } from "./harness.ts";

/** An email campaign, running, of one variant. Its rows are made here: what sends is not asked. */
export async function mailCampaign(
  house: TestHouse,
  { projectId }: TestProject,
  goalId: string | null = null,
): Promise<string> {
  const { pool } = house.database;
  const campaignId = newUuid(house.now());
  const variantId = newUuid(house.now());
  await pool.query(
    `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, started_at, audience)
    values ($1, $2, 'News', 'running', 'email', $3, 'api', $4, $4, '{"kind": "all"}')`,
    [campaignId, projectId, goalId?.replace("goal_", "") ?? null, house.now()],
  );
  await pool.query(
    `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
    values ($1, $2, $3, 0, 'A', 1, true, '{}')`,
    [variantId, campaignId, projectId],
  );
  await openEpochs(house.database.kysely, projectId, { campaignId }, house.now());
  await pool.query(
    "insert into campaign_sweeps (campaign_id, project_id, next_sweep_at) values ($1, $2, $3)",
    [campaignId, projectId, house.now()],
  );
  return campaignId;
}

/** A message that was sent, with its links. */
export type TestMail = DeliveryKey & {
  userId: string;
  address: string;
  /** `del_…` */
  deliveryId: string;
  /** `/e/{token}/{part}` of this house, absolute. */
  link(part: string): string;
  /** A click that leads there, signed as the sender signs it. */
  click(to: string): string;
  /** What the Message-ID begins with. */
  messageToken: string;
};

export type MailOptions = {
  userId?: string;
  address?: string;
  status?: "accepted" | "unknown" | "sending";
  goalId?: string;
  campaignId?: string;
  occasion?: number;
};

/** A message of a campaign to a user, as it stands after a mail server took it, or while it is unknown whether one did. */
export async function sentMail(
  house: TestHouse,
  project: TestProject,
  {
    userId = "anna",
    address = `${userId}@example.com`,
    status = "accepted",
    goalId,
    campaignId,
    occasion = FIRST_OCCASION,
  }: MailOptions = {},
): Promise<TestMail> {
  const { pool } = house.database;
  const { projectId } = project;
  const { lane, userKey } = userRef(projectId, userId);
  await project.sdk.identify({ body: { userId, traits: { email: address } } });
  const campaign = campaignId ?? (await mailCampaign(house, project, goalId));
  const { rows } = await pool.query<{ id: string }>("select id from variants where campaign_id = $1", [
    campaign,
  ]);
  const delivery = { lane, userKey, campaignId: campaign, occasion };
  const key = [lane, userKey, campaign, occasion];
  const isSent = status === "accepted";
  const to = addressRef(projectId, address);
  await pool.query(
    `insert into deliveries (lane, user_key, campaign_id, occasion, project_id, variant_id, state, queued_at, sent_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [...key, projectId, rows[0]?.id, isSent ? "sent" : "sending", house.now(), isSent ? house.now() : null],
  );
  if (isSent)
    await pool.query(
      `insert into campaign_stats as s (lane, campaign_id, variant_id, project_id, sent) values ($1, $2, $3, $4, 1)
      on conflict (lane, campaign_id, variant_id) do update set sent = s.sent + 1`,
      [lane, campaign, rows[0]?.id, projectId],
    );
  await pool.query(
    `insert into email_addresses (lane, address_key, project_id, address) values ($1, $2, $3, $4) on conflict do nothing`,
    [to.lane, to.addressKey, projectId, address],
  );
  await pool.query(
    `insert into email_sends (lane, user_key, campaign_id, occasion, project_id, status, due_at, begun, attempts, address_lane, address_key)
    values ($1, $2, $3, $4, $5, $6, $7, true, 1, $8, $9)`,
    [...key, projectId, status, house.now(), to.lane, to.addressKey],
  );
  await pool.query(
    `insert into email_attempts (lane, user_key, campaign_id, occasion, ordinal, project_id, lease_owner, started_at)
    values ($1, $2, $3, $4, 1, $5, gen_random_uuid(), $6)`,
    [...key, projectId, house.now()],
  );
  if (status === "sending")
    await pool.query("update email_addresses set on_the_way = on_the_way + 1 where address_key = $1", [
      to.addressKey,
    ]);
  else
    await pool.query(
      `insert into email_outcomes (lane, user_key, campaign_id, occasion, ordinal, project_id, kind, at)
      values ($1, $2, $3, $4, 1, $5, $6::text::email_outcome_kind, $7)`,
      [...key, projectId, status, house.now()],
    );
  const signer = house.tidings.app.get(linkSigner);
  const link = (part: string): string => `${house.url}/e/${signer.token(delivery, "link")}/${part}`;
  return {
    ...delivery,
    userId,
    address,
    link,
    deliveryId: deliveryId(delivery),
    click: (url) => link(`click?to=${encodeURIComponent(url)}&s=${signer.signTarget(campaign, url)}`),
    messageToken: signer.token(delivery, "message"),
  };
}

/** A click as mail had it before signatures named the campaign. */
export const unboundClick = (app: App, { link }: Pick<TestMail, "link">, to: string): string =>
  link(
    `click?to=${encodeURIComponent(to)}&s=${createHmac("sha256", app.secrets.derive("email links"))
      .update(`target\0${to}`)
      .digest()
      .subarray(0, 16)
      .toString("base64url")}`,
  );

const NAMES = [
  "sent",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "complained",
  "unsubscribed",
  "converted",
];

/** What became of a message: its state, its instants that are set, and the campaign's counters that are not 0. */
export async function fateOf(
  house: TestHouse,
  { api }: TestProject,
  { campaignId, userKey, occasion }: TestMail,
) {
  const { rows } = await house.database.pool.query<Record<string, unknown>>(
    `select state, ${NAMES.map((name) => `${name}_at as ${name}`).join(", ")} from deliveries
    where user_key = $1 and campaign_id = $2 and occasion = $3`,
    [userKey, campaignId, occasion],
  );
  const { state, ...instants } = rows[0] ?? {};
  const path = { id: apiId("cmp", campaignId) };
  const { stats } = (await api.getCampaign({ path })).campaign;
  const isSet = ([, value]: [string, unknown]): boolean => value !== null && value !== 0;
  return {
    state,
    instants: Object.fromEntries(Object.entries(instants).filter(isSet)) as Record<string, number>,
    counted: Object.fromEntries(Object.entries(stats).filter(isSet)),
  };
}

/** Why a project does not send to an address; null where it does. */
export async function suppressionOf(
  house: TestHouse,
  { projectId }: TestProject,
  address: string,
): Promise<string | null> {
  const { lane, addressKey } = addressRef(projectId, address);
  const { rows } = await house.database.pool.query<{ suppressed_by: string | null }>(
    "select suppressed_by from email_addresses where lane = $1 and address_key = $2 and project_id = $3",
    [lane, addressKey, projectId],
  );
  return rows[0]?.suppressed_by ?? null;
}

/** Says who reports a project's mail, and with what secret. */
export async function reportedBy(
  house: TestHouse,
  { projectId }: TestProject,
  provider: string,
  secret: string,
): Promise<void> {
  const { app } = house.tidings;
  await app.database.kysely
    .transaction()
    .execute((tx) =>
      changeSettings(
        tx,
        app.secrets,
        projectId,
        { "email.provider": provider, "email.webhookSecret": secret },
        { groups: settingGroups, by: "test", now: house.now() },
      ),
    );
}

/** What a person reads mail with. */
export const PERSON =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
/** Where a message leads to. */
export const SHOP = "https://shop.example/offer?a=1&b=ü#top";

/** How a link is asked for: by a person, unless it is said. */
export type Asking = { method?: string; agent?: string; headers?: Record<string, string> };

export const ask = (url: string, { method = "GET", agent = PERSON, headers = {} }: Asking = {}) =>
  fetch(url, { method, redirect: "manual", headers: { "user-agent": agent, ...headers } });

export const open = (mail: TestMail, asking?: Asking) => ask(mail.link("open.gif"), asking);
export const honeypot = (mail: TestMail, asking?: Asking) => ask(mail.link("trap"), asking);
export const click = (mail: TestMail, to = SHOP, asking?: Asking) => ask(mail.click(to), asking);

type HitRow = { kind: string; at: number; url: string | null; bot: string | null };

/** What is kept of the hits on a message, oldest first. */
export async function hitsOf(
  house: TestHouse,
  { userKey, campaignId, occasion }: TestMail,
): Promise<HitRow[]> {
  const { rows } = await house.database.pool.query<HitRow>(
    `select kind, at, url, bot from email_hits where user_key = $1 and campaign_id = $2 and occasion = $3 order by ordinal`,
    [userKey, campaignId, occasion],
  );
  return rows;
}

/** A mail of a new project that left ten seconds ago, and how to read what is recorded of it. */
export async function sentTenSecondsAgo(house: TestHouse, options?: Parameters<typeof sentMail>[2]) {
  const project = await house.project();
  const mail = await sentMail(house, project, options);
  const sentAt = house.now();
  house.advance(10_000);
  return { project, mail, sentAt, fate: () => fateOf(house, project, mail) };
}

/** Hands on a mail that came back; answers the status. */
export async function postInbound(
  { url }: TestHouse,
  raw: string | Buffer<ArrayBuffer>,
  type = "message/rfc822",
): Promise<number> {
  const headers = { "content-type": type };
  return (await fetch(`${url}/hooks/email/inbound`, { method: "POST", headers, body: raw })).status;
}

/** A message that left a minute ago, in a project of its own; what became of it, and why its address gets no more mail. */
export async function watchedMail(house: TestHouse, options?: MailOptions) {
  const project = await house.project();
  const mail = await sentMail(house, project, options);
  house.advance(60_000);
  return {
    project,
    mail,
    fate: () => fateOf(house, project, mail),
    suppression: () => suppressionOf(house, project, mail.address),
  };
}
