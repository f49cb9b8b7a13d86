/**
 * `node bench/census.ts [--rounds 5] [--users 1000000]`: the census of a web, an email and a push campaign over a large project, each
 * beside hand-written SQL for the same question on the same database, in turn. Prints medians and ratios. Then what it takes to count who
 * lacks three personal fields: a web and an email campaign with them beside the same campaign without, in turn.
 */
import { parseArgs } from "node:util";
import { setCredential } from "./campaign.ts";
import { fillDeliveries, fillProject, fillPush } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, users: { type: "string", default: "1000000" } },
});
const ROUNDS = Number(values.rounds);
const USERS = Number(values.users);
const MOST = 1.5;
const HOLDOUT = 10;
const DAY_MS = 86_400_000;

type Counts = Record<string, number>;
type Question = { name: string; campaignId: string; text: string; values: unknown[] };

const tidings = await startTidings();
const db = await tidings.connect();
const { projectId, secretKey, port } = tidings;

async function api<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);

type Campaign = { id: string; channel: string; variants: { id: string }[] };

/** A draft, so that neither sweeps nor sending disturb the figures. */
async function draft(body: Record<string, unknown>): Promise<Campaign> {
  return (await api<{ campaign: Campaign }>("POST", "/campaigns", body)).campaign;
}

/** Addresses of every fifth user, which have had mail; some of them as much as the cap allows, some are suppressed. */
const mail = () =>
  db.query(
    `insert into email_addresses (lane, address_key, project_id, address, accepted_at, suppressed_at, suppressed_by)
    select get_byte(digest, 0) >> 2, encode(substring(digest from 1 for 16), 'hex')::uuid, project_id, address,
      case when n % 50 = 0 then array[$1, $1, $1] else array[$1] end::int8[], case when n % 20 = 0 then 1 end,
      case when n % 20 = 0 then 'bounced' end
    from (
      select *, 'user-' || n || '@example.com' as address,
        sha256(convert_to(project_id::text, 'UTF8') || '\\x00'::bytea || convert_to('mailto:user-' || n || '@example.com', 'UTF8')) as digest
      from people where n % 5 = 0
    ) a`,
    [Date.now() - 3_600_000],
  );

/** The digests of users who are held out sort before these six bytes. */
const OUT = Math.ceil((HOLDOUT / 100) * 2 ** 48)
  .toString(16)
  .padStart(12, "0");
const IS_OUT = `sha256(convert_to($3::text || u.user_key::text, 'UTF8')) < '\\x${OUT}'::bytea`;
const DELIVERIES =
  "left join deliveries d on d.lane = u.lane and d.user_key = u.user_key and d.campaign_id = $2::uuid";

async function questions(): Promise<Question[]> {
  const { goal } = await api<{ goal: { id: string } }>("POST", "/goals", {
    name: "Sales",
    holdoutPercent: HOLDOUT,
  });
  const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "neq", value: "enterprise" };
  const audience = { kind: "expression", expression: { version: 1, root } };
  const shared = { name: "Census", goalId: goal.id, audience };
  const web = await draft({ ...shared, message: { presentation: "toast", title: "Hello" } });
  const email = await draft({ ...shared, channel: "email", message: { subject: "Hello", body: "Hi" } });
  const push = await draft({
    ...shared,
    channel: "push",
    push: { appId: "com.example.app", selection: { kind: "last_active" } },
    message: { title: "Hello", body: "Hi", destination: { kind: "website", url: "https://example.com/" } },
  });
  await fillDeliveries(db, web, "people where n % 2 = 0");
  await fillDeliveries(db, email, "people where n % 3 = 0");
  await fillDeliveries(db, push, "people where n % 4 = 0");
  await mail();
  await fillPush(db, Math.round(USERS / 3));
  await setCredential(tidings);
  await db.query("update installations set consent = false where lane % 2 = 1");
  await db.query("vacuum analyze");
  const users = "users u %% where u.project_id = $1 and u.traits ->> 'plan' <> 'enterprise'";
  const common = (campaign: Campaign) => [projectId, uuid(campaign.id), uuid(goal.id)];
  return [
    {
      name: "web",
      campaignId: web.id,
      values: common(web),
      text: `select case when d.user_key is not null then 'alreadyDelivered' when ${IS_OUT} then 'heldOut' else 'willReceive' end as bucket,
          count(*) as users
        from ${users.replace("%%", DELIVERIES)} group by 1`,
    },
    {
      name: "email",
      campaignId: email.id,
      values: [...common(email), Date.now() - DAY_MS],
      // Users who share an address share its cap.
      text: `select bucket, sum(users) - sum(over) as users, sum(over) as capped from (
          select bucket, count(*) as users, case when bucket = 'willReceive' then greatest(count(*) - greatest(3 - max(used), 0), 0) else 0 end as over
          from (
            select u.key, coalesce(a.used, 0) as used, case when is_delivered then 'alreadyDelivered' when u.email is null then 'no_address'
              when u.email !~ '^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+[.][A-Za-z]+$' then 'invalid_address'
              when a.is_suppressed then 'suppressed' when ${IS_OUT} then 'heldOut' else 'willReceive' end as bucket
            from (
              select u.user_key, u.traits ->> 'email' as email, d.user_key is not null as is_delivered,
                sha256(convert_to(u.project_id::text, 'UTF8') || '\\x00'::bytea || convert_to('mailto:' || lower(u.traits ->> 'email'), 'UTF8')) as key
              from ${users.replace("%%", DELIVERIES)}
            ) u
            left join (
              select address_key, suppressed_at is not null as is_suppressed,
                (select count(*) from unnest(accepted_at) at where at > $4::int8) + on_the_way as used
              from email_addresses where project_id = $1
            ) a on a.address_key = encode(substring(u.key from 1 for 16), 'hex')::uuid
          ) u group by bucket, case when bucket = 'willReceive' then key end
        ) b group by bucket`,
    },
    {
      name: "push",
      campaignId: push.id,
      values: common(push),
      text: `select case when d.user_key is not null then 'alreadyDelivered' when i.step is null then 'no_installation'
            when i.step < 4 then (array['no_token', 'no_consent', 'permission', 'credential'])[i.step + 1]
            when ${IS_OUT} then 'heldOut' else 'willReceive' end as bucket, count(*) as users
        from ${users.replace(
          "%%",
          `${DELIVERIES} left join (
            select i.user_lane, i.user_key, max(case when t.token_key is null then 0 when not i.consent then 1
              when i.permission not in ('granted', 'provisional') then 2 when i.platform <> 'ios' or i.environment <> 'production' then 3
              else 4 end) as step
            from installations i
            left join installation_tokens t on t.lane = i.token_lane and t.token_key = i.token_key
              and t.installation_key = i.installation_key
            where i.project_id = $1 and i.app_id = 'com.example.app' and i.user_key is not null
            group by 1, 2
          ) i on i.user_lane = u.lane and i.user_key = u.user_key`,
        )} group by 1`,
    },
  ];
}

type Census = Counts & { unreachable: { reason: string; users: number }[] };

/** The buckets of a census that have users, by name, in order. */
const bucketsOf = (counts: Counts): string =>
  JSON.stringify(
    Object.entries(counts)
      .filter(([, users]) => users > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

async function census(campaignId: string): Promise<string> {
  const { unreachable, ...rest } = await api<Census>("POST", `/campaigns/${campaignId}/census`);
  const { heldOut = 0, alreadyDelivered = 0, capped = 0, willReceive = 0 } = rest as Counts;
  const reasons = Object.fromEntries(unreachable.map(({ reason, users }) => [reason, users]));
  return bucketsOf({ heldOut, alreadyDelivered, capped, willReceive, ...reasons });
}

async function byHand({ text, values: given }: Question): Promise<string> {
  const { rows } = await db.query<{ bucket: string; users: string; capped?: string }>(text, given);
  const counts: Counts = {};
  for (const { bucket, users, capped = "0" } of rows) {
    counts[bucket] = Number(users);
    counts.capped = (counts.capped ?? 0) + Number(capped);
  }
  return bucketsOf(counts);
}

async function timed(act: () => Promise<string>): Promise<{ ms: number; result: string }> {
  const begun = performance.now();
  const result = await act();
  return { ms: performance.now() - begun, result };
}

try {
  console.log(`seeding ${USERS} users`);
  await fillProject(db, tidings, { users: USERS, events: 1 });
  // As the pool of requests has it.
  await db.query("set work_mem = '32MB'");
  for (const question of await questions()) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const counted = await timed(() => census(question.campaignId));
      const written = await timed(() => byHand(question));
      if (counted.result !== written.result)
        throw new Error(`${question.name}: ${counted.result} and ${written.result} by hand`);
      // The first time fills caches.
      if (round === 0) console.log(`${question.name}: ${counted.result}`);
      else {
        ours.push(counted.ms);
        theirs.push(written.ms);
      }
    }
    const [a, b] = [median(ours), median(theirs)];
    const times = a / b;
    console.log(
      `${question.name}: ${a.toFixed(0)} ms (${((USERS / a) * 1_000).toExponential(1)} users/s), by hand ${b.toFixed(0)} ms`,
    );
    console.log(
      `${times <= MOST ? "reached" : "MISSED "}  ${times.toFixed(2)} times the hand-written one (at most ${MOST})`,
    );
    if (times > MOST) process.exitCode = 1;
  }
  const three = "{{ user.first_name }} {{ user.plan }} {{ user.city }}";
  const texts = ["Hello", `Hello ${three}`];
  for (const channel of ["web_inapp", "email"]) {
    const [without, withFields] = [[], []] as number[][];
    const pair: Campaign[] = [];
    for (const body of texts)
      pair.push(
        await draft({
          name: "Fields",
          channel,
          message:
            channel === "email" ? { subject: "Hello", body } : { presentation: "toast", title: "Hi", body },
        }),
      );
    for (let round = 0; round <= ROUNDS; round++)
      for (const [at, { id }] of pair.entries()) {
        const { ms } = await timed(() => census(id));
        if (round > 0) (at === 0 ? without : withFields)?.push(ms);
      }
    const [a, b] = [median(without ?? []), median(withFields ?? [])];
    console.log(
      `${channel}: ${a.toFixed(0)} ms without fields, ${b.toFixed(0)} ms with three: ${(b / a).toFixed(2)} times`,
    );
  }
  // Only filling in these messages shows whom they reach: users are judged one by one.
  const personal = [
    await draft({ name: "Personal", message: { presentation: "toast", title: "{{ user.plan }}" } }),
    await draft({
      name: "Personal",
      channel: "push",
      push: { appId: "com.example.app", selection: { kind: "last_active" } },
      message: {
        title: "{{ user.plan }}",
        body: "Hi",
        destination: { kind: "website", url: "https://example.com/" },
      },
    }),
  ];
  for (const { id, channel } of personal) {
    const { ms, result } = await timed(() => census(id));
    console.log(`${channel}, judged one by one: ${ms.toFixed(0)} ms, ${result}`);
  }
} finally {
  await db.end();
  await tidings.stop();
}
