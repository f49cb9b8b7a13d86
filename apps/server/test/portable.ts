import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { installationRef, userRef, uuidOf } from "../src/domain/ids.ts";
import { applyDeltas } from "../src/features/counting/rollups/public.ts";
import { decideSuppression } from "../src/features/email/addresses/public.ts";
import { prepareSenderDomain } from "../src/features/email/sender/public.ts";
import { resendUnknown } from "../src/features/email/sending/public.ts";
import { exportProject } from "../src/features/portable/export.ts";
import { type Imported, importProject } from "../src/features/portable/import.ts";
import { endTokens } from "../src/features/users/devices/public.ts";
import { tables } from "../src/features.ts";
import { DAY_MS } from "../src/platform/time/clock.ts";
import { agentHistory } from "./agent.ts";
import { expression, trait } from "./audience/trees.ts";
import { startFile, uploadFile } from "./bringing.ts";
import { until } from "./commands/spawned.ts";
import { launchEmail, people, setSettings } from "./email.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail, toast } from "./factories.ts";
import { launchedFromCode } from "./from-code.ts";
import { type TestHouse, type TestProject, testClients } from "./harness.ts";
import { travelled } from "./journeys.ts";
import { click, hitsOf, open, SHOP, sentMail } from "./mail.ts";
import { ACTION, BOUGHT, BUY, type observingStage, RECEIPT, TAP } from "./observing.ts";
import type { SmtpPeer } from "./peers/smtp.ts";
import { sendAnySample } from "./people-samples.ts";
import { secretOf } from "./perimeter.ts";
import { transcriptOf } from "./project-world.ts";
import { launchPush, reachable } from "./push.ts";
import { endpointsByRoom } from "./room-samples.ts";
import { draftedFromCode } from "./source-work.ts";
import { makeTopic } from "./topics.ts";
import { livedVisitors } from "./visitors.ts";

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};

/** A grey pixel. */
const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk("IDAT", deflateSync(Buffer.alloc(2))),
  chunk("IEND", Buffer.alloc(0)),
]);

type Stage = Awaited<ReturnType<typeof observingStage>>;

/** Lists are ordered by instant, and what has the same one by ids, which are others after an import: each campaign gets its own. */
const atAnInstantOfItsOwn = (house: TestHouse): void => house.advance(1);

async function seenOnTheWeb(house: TestHouse, project: TestProject): Promise<void> {
  const { api, sdk, agent } = project;
  const { goal } = await api.createGoal({
    body: { name: "Subscribers", targetEvent: "paid", guardrails: { maxPerWeek: 2 } },
  });
  const { goal: withHoldout } = await api.createGoal({
    body: { name: "Loyalty", targetEvent: "paid", holdoutPercent: 50, attributionDays: 30 },
  });
  await api.updateGoal({
    path: { id: withHoldout.id },
    body: { description: "Who stays", expectedRevision: 1 },
  });
  atAnInstantOfItsOwn(house);
  await launchCampaign(project, { name: "For half of them", goalId: withHoldout.id, pages: ["/half"] });
  const { segment } = await api.createSegment({
    body: { key: "pros", name: "Pros", expression: expression(trait("plan", "eq", "pro")) },
  });
  const { media } = await api.uploadCampaignMedia({
    file: new Blob([new Uint8Array(PNG)], { type: "image/png" }),
  });
  atAnInstantOfItsOwn(house);
  const { id: campaignId } = await launchCampaign(project, {
    name: "Pros on the web",
    goalId: goal.id,
    audience: { kind: "segment", segment: segment.key },
    variants: [
      {
        name: "With image",
        weight: 50,
        message: {
          presentation: "modal",
          title: "Look",
          body: "At this",
          media: { url: media.url, decorative: true },
        },
      },
      { name: "Plain", weight: 50, isControl: true, message: toast("Plain") },
    ],
  });
  atAnInstantOfItsOwn(house);
  await launchCampaign(project, { name: "For everyone", pages: ["/pricing"], visitors: "also" });
  atAnInstantOfItsOwn(house);
  await api.createCampaign({ body: { name: "A draft", message: toast("Later") } });
  await agent.recordAgentUsage({
    body: {
      executionId: "first",
      calls: [{ inputTokens: 100_000, cachedInputTokens: 20_000 }],
      model: "gpt-x",
    },
  });
  const { run } = await api.createAgentRun({
    body: {
      kind: "plan",
      goalId: goal.id,
      campaignId,
      input: { about: campaignId, n: 1e300 },
      rationale: goal.id,
    },
  });
  await api.updateCampaign({ path: { id: campaignId }, body: { agentRunId: run.id } });
  await api.putAgentRunTranscript({ path: { id: run.id }, body: transcriptOf("1e300 for goals?") });
  const people = ["ünï", "bob", "cleo", "dora", "gone"];
  for (const userId of [...people, "hal", "ida", "jon", "kim"]) await messagesOf(project, userId, "/half");
  for (const userId of people) {
    house.advance(1_000);
    const traits = { plan: userId === "bob" ? "free" : "pro", seats: 1e20, note: `a ${userId}` };
    await sdk.identify({ body: { userId, traits } });
    await sdk.track({ body: { userId, event: "looked", props: { path: "/", at: 1.5, "a.b": null } } });
    const messages = await messagesOf(project, userId, "/pricing");
    for (const { deliveryId } of messages) await feedback(project, deliveryId, userId, "shown");
    house.advance(DAY_MS / 4);
    if (userId !== "cleo") await sdk.track({ body: { userId, event: "paid", props: { amount: 5 } } });
    const [first] = messages;
    if (userId === "dora" && first !== undefined)
      await feedback(project, first.deliveryId, userId, "clicked");
    if (userId === "cleo" && first !== undefined)
      await feedback(project, first.deliveryId, userId, "dismissed");
  }
  await api.eraseUser({ path: { id: "gone" } });
}

async function mailed(house: TestHouse, project: TestProject, smtp: SmtpPeer): Promise<void> {
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    "email.capMax": "1",
  });
  await people(project, ["emil", "eva", "emma", "erin", "ghost"]);
  await house.database.kysely
    .transaction()
    .execute((tx) =>
      decideSuppression(tx, project.projectId, "eva@example.com", "suppress", { by: "Ada", at: house.now() }),
    );
  smtp.behave({ onMessage: ({ to }) => (to.startsWith("emma") ? "drop" : null) });
  atAnInstantOfItsOwn(house);
  const { id } = await launchEmail(project, { name: "First mail" });
  await house.drain();
  // A lost connection, one that is over the cap, one that waits for it, and one that waits.
  atAnInstantOfItsOwn(house);
  await launchEmail(project, { name: "Second mail" });
  await house.drain();
  smtp.behave({ onRecipient: () => ({ code: 451, text: "Later" }) });
  await people(project, ["frida"]);
  await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
  await setSettings(house, project, { "email.overCap": "postpone" });
  atAnInstantOfItsOwn(house);
  await launchEmail(project, { name: "Third mail", audience: { kind: "all" } });
  await house.drain();
  await house.database.kysely.transaction().execute((tx) =>
    decideSuppression(tx, project.projectId, "ghost@example.com", "suppress", {
      by: "Ada",
      at: house.now(),
    }),
  );
  await project.api.eraseUser({ path: { id: "ghost" } });
}

/** Topics: left by email, joined for pushes and by an address alone, requested, chosen by a user who was erased; and a campaign about one. */
async function chosen(house: TestHouse, project: TestProject): Promise<void> {
  const { api } = project;
  const { id: topicId, key: topic } = await makeTopic(project);
  const { key: asking } = await makeTopic(project, { key: "letters", name: "Letters", doubleOptIn: true });
  await people(project, ["quit"]);
  for (const [id, channel, wants] of [
    ["emil", "email", "out"],
    ["erin", "push", "in"],
    ["quit", "email", "in"],
    ["quit", "push", "out"],
  ] as const) {
    house.advance(1_000);
    await api.putUserSubscriptions({ path: { id }, body: { choices: [{ topic, channel, wants }] } });
  }
  for (const key of [topic, asking])
    await api.subscribe({
      body: { email: "guest@example.com", topics: [key], source: "footer", form: "Yes" },
    });
  await api.eraseUser({ path: { id: "quit" } });
  atAnInstantOfItsOwn(house);
  await launchEmail(project, { name: "About news", topicId, launch: false });
}

/** Mail that was looked at, mail that a person had sent again, and a key to sign mail with. */
async function lookedAt(house: TestHouse, project: TestProject): Promise<void> {
  const { app } = house.tidings;
  atAnInstantOfItsOwn(house);
  const mail = await sentMail(house, project, { userId: "mia" });
  atAnInstantOfItsOwn(house);
  const lost = await sentMail(house, project, { userId: "max", status: "unknown" });
  house.advance(10_000);
  await open(mail);
  await click(mail, SHOP);
  // Links answer after a second, whether their hit is recorded by then or not.
  await until(async () => (await hitsOf(house, mail)).length === 2, "both hits are recorded");
  const decision = { by: "Ada", at: house.now() };
  await house.database.kysely.transaction().execute(async (tx) => {
    await resendUnknown(tx, project.projectId, lost, decision);
    await prepareSenderDomain(tx, app.secrets, project.projectId, { now: house.now(), renew: false });
  });
}

/** More values of a trait than are counted, and rollups with deltas that are applied and others that are not yet. */
async function counted(house: TestHouse, { sdk }: TestProject): Promise<void> {
  const codes = Array.from({ length: 52 }, (_, code) => `code-${code}`);
  await sdk.identify({ body: { userId: "ada", traits: { code: "none" } } });
  for (const code of codes) await sdk.identify({ body: { userId: code, traits: { code } } });
  await applyDeltas(house.tidings.app);
  await sdk.track({ body: { userId: "bob", event: "looked", props: { path: "/again" } } });
}

/** A token that a provider refused while its credential may have been wrong. */
export async function refusedToken(house: TestHouse, project: TestProject): Promise<void> {
  const { installationId } = await reachable(project, "petra");
  const ref = installationRef(project.projectId, installationId);
  const user = userRef(project.projectId, "petra");
  const [credential] = (await project.api.listPushCredentials()).credentials;
  await endTokens(house.database.hotPool, [
    {
      ...ref,
      projectId: project.projectId,
      tokenRevision: 1,
      userLane: user.lane,
      userKey: user.userKey,
      code: "Unregistered",
      at: house.now(),
      isDoubtful: true,
      credentialId: uuidOf("cred", credential?.id ?? "") ?? "",
      credentialRevision: credential?.revision ?? 0,
    },
  ]);
}

/**
 * Files that were brought in: one of a person who left, and one of users that names it and has a line that is refused. A third one was only
 * tried, and a fourth one waits.
 */
export async function broughtIn(house: TestHouse, project: TestProject): Promise<void> {
  const bring = async (
    file: string,
    kind: "users" | "suppressions",
    start?: Parameters<typeof startFile>[3],
  ) => {
    atAnInstantOfItsOwn(house);
    return startFile(house, project, await uploadFile(project, file, { kind, name: `${kind}.csv` }), start);
  };
  const left = await bring("email,reason\nleft@example.com,bounced\n", "suppressions");
  const users = "id,email,code\nlea,lea@example.com,none\nleo,no address,none\nleft,left@example.com,none\n";
  const brought = await bring(users, "users", { whoLeft: { importId: left.id } });
  assert.deepEqual([brought.written, brought.refused], [2, 1]);
  await bring("id\ntried\n", "users", { dryRun: true });
  await uploadFile(project, "id\nwaits\n", { kind: "users" });
}

/** How many records of each table there are in an export. */
export const countsOf = (exported: string): Record<string, number> =>
  (JSON.parse(exported.trimEnd().split("\n").at(-1) ?? "{}") as { counts: Record<string, number> }).counts;

/** Sends what makes something in the rooms whose tables have no row yet: the samples of their operations. */
async function filled(house: TestHouse, project: TestProject): Promise<void> {
  const counts = countsOf(await exportText(house, project.projectId, true));
  const empty = tables.filter((table) => "exported" in table && counts[table.name] === undefined);
  for (const room of new Set(empty.map(({ owner }) => owner)))
    for (const { spec } of endpointsByRoom.get(room) ?? []) {
      // Calls of other services make nothing that ours do not, and refuse in words of theirs.
      if (spec.method !== "POST" || spec.dialect) continue;
      atAnInstantOfItsOwn(house);
      await sendAnySample(house, project, spec);
    }
}

/** A project with something of everything: on the web, by mail, by push, users who are there and users who were erased. */
export async function livedProject(stage: Stage, smtp: SmtpPeer): Promise<TestProject> {
  const { house } = stage;
  const { project, device, observer } = await stage.scene({ name: "A push" });
  await observer.tell(RECEIPT, TAP);
  house.advance(1_000);
  await observer.tell(ACTION, BUY);
  await reachable(project, "ada", { token: null });
  await reachable(project, "paul");
  await device.use();
  atAnInstantOfItsOwn(house);
  await launchPush(project, { name: "For nobody's app" });
  atAnInstantOfItsOwn(house);
  const draft = await launchPush(project, { name: "A push draft", launch: false });
  await project.api.sendPushTest({
    path: { id: draft.id },
    body: { installationId: device.installationId, requestId: "look" },
  });
  await house.drain();
  const erased = await reachable(project, "lost");
  await house.drain();
  await project.api.eraseUser({ path: { id: "lost" } });
  await project.sdk.track({ body: { userId: erased.installationId, event: BOUGHT } });
  await seenOnTheWeb(house, project);
  await livedVisitors(house, project);
  await mailed(house, project, smtp);
  await chosen(house, project);
  await travelled(house, project, { userId: "emil", leaverId: "erin" });
  await lookedAt(house, project);
  atAnInstantOfItsOwn(house);
  const { goalId } = await pausedByGuardrail(house, project);
  // After an import all of its campaigns are launched.
  await project.api.updateGoal({ path: { id: goalId }, body: { guardrails: null } });
  atAnInstantOfItsOwn(house);
  await launchedFromCode(house, project);
  await draftedFromCode(house, project);
  await broughtIn(house, project);
  await counted(house, project);
  await secretOf(house, project);
  atAnInstantOfItsOwn(house);
  await agentHistory(house, project);
  await refusedToken(house, project);
  await filled(house, project);
  return project;
}

/** An export as it would be in a file. */
export async function exportText(house: TestHouse, projectId: string, withSecrets = false): Promise<string> {
  let text = "";
  const { database, app } = { database: house.database, app: house.tidings.app };
  await exportProject(
    database.kysely,
    app.secrets,
    { projectId, tables, withSecrets, now: house.now() },
    async (part) => {
      text += part;
    },
  );
  return text;
}

async function* pieces(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  // Of a length at which letters and lines are cut in two.
  for (let at = 0; at < bytes.length; at += 4_099) yield bytes.subarray(at, at + 4_099);
}

/** Imports a text into a house. */
export async function importText(
  house: TestHouse,
  text: string | AsyncIterable<Buffer>,
  name: string | null = null,
): Promise<Imported & { project: TestProject }> {
  const source = typeof text === "string" ? pieces(text) : text;
  const { config, secrets, publicUrl } = house.tidings.app;
  const imported = await importProject(house.database.kysely, secrets, source, {
    tables,
    name,
    publicUrl: publicUrl(),
    now: house.now(),
    limits: config.limits,
  });
  return { ...imported, project: testClients(house.url, imported.keys) };
}

const KEY =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=p(?:tg|at|sl)_)[0-9a-f]{32}|\b[0-9a-f]{64}\b/g;
const ROUNDS = 6;

/**
 * The records of an export with every key replaced by what it is: a hash of all places where it stands, and of what the keys beside it
 * are. Two exports of the same content have the same ones, whatever their keys are.
 */
function canonicalOf(text: string): string[] {
  const records = text
    .replaceAll('"status":"running"', '"status":"paused"')
    // What ran was paused by the import, and no program of the old project works with the new one.
    .replaceAll(/"pause":\{[^{}]*"import"[^{}]*\}/g, '"pause":null')
    .replaceAll(/"program_at":\d+/g, '"program_at":null')
    // Runs are history, and name the hash that a change had where it was made. Leases and approvals are not carried over.
    .replaceAll(/"payloadHash": ?"\w+"|"expires_at":\d+|"ended_at":(null|\d+),"ended_by":(null|"\w+")/g, "")
    // Imported runs are in no chain, and the new chain begins where the old one ended.
    .replaceAll(/"seq":\d+,"prev_hash":"\w*","hash":"\w+"/g, '"seq":null,"prev_hash":null,"hash":null')
    .replaceAll('"written_by":"tidings"', '"written_by":"import"')
    .replaceAll(/"start_seq":\d+,"start_hash":"\w*"/g, "")
    .replaceAll(/http:\/\/127[\d.:]+/g, "")
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    // Dealt to other lanes; the doctor compares them, and usage adds them up.
    .filter((record) => !record.startsWith('{"type":"email_capped_counts"'));
  const dashed = (key: string): string => key.replaceAll("-", "");
  const words = records.map((record) => ({
    keys: (record.match(KEY) ?? []).map(dashed),
    rest: record.split(KEY),
  }));
  let names = new Map<string, string>();
  const shown = ({ keys, rest }: (typeof words)[number], self?: number): string =>
    rest.map((part, i) => part + (i === self ? "<self>" : (names.get(keys[i] ?? "") ?? ""))).join("·");
  for (let round = 0; round < ROUNDS; round++) {
    const places = new Map<string, string[]>();
    for (const word of words)
      word.keys.forEach((key, i) => {
        const found = places.get(key) ?? [];
        places.set(key, found);
        found.push(hash("sha256", shown(word, i)));
      });
    names = new Map([...places].map(([key, found]) => [key, hash("sha256", found.sort().join())]));
  }
  return words.map((word) => shown(word)).sort();
}

/** Whether two exports say the same, but for keys; shows what does not. */
export function assertSameContent(is: string, was: string): void {
  const [before, after] = [canonicalOf(was), canonicalOf(is)];
  const [known, found] = [new Set(before), new Set(after)];
  const [gone, come] = [before.filter((one) => !found.has(one)), after.filter((one) => !known.has(one))];
  assert.deepEqual({ gone: gone.slice(0, 5), come: come.slice(0, 5) }, { gone: [], come: [] });
  assert.equal(after.length, before.length);
}

/** What the API answers of a project, with every id replaced by its number in the order of appearance. */
export async function answersOf(project: TestProject): Promise<string[]> {
  const { api } = project;
  const { campaigns } = await api.listCampaigns();
  const page = { query: { perPage: 100 } };
  const found: unknown[] = [
    campaigns,
    await api.listGoals(),
    await api.listSegments(),
    (await api.listAgentRuns()).runs.map(({ chain: _, writtenBy, ...run }) => ({
      ...run,
      // What Tidings wrote came with a file.
      writtenBy: writtenBy === "tidings" ? "import" : writtenBy,
    })),
  ];
  for (const { id, channel } of campaigns.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = { id };
    found.push(await api.getCampaign({ path }));
    for (const event of ["paid", "looked", BOUGHT]) {
      const { evaluatedAt: _, ...counted } = await api.getCampaignConversions({ path, query: { event } });
      // The snapshot is a hash of ids, and when users have matured depends on now.
      const { snapshot: __, maturedUntil: ___, ...statistics } = counted.statistics;
      found.push({ ...counted, statistics });
    }
    const { deliveries } = await api.listCampaignDeliveries({ path, ...page });
    found.push(
      deliveries
        .map(({ id: _, endUserId: __, ...delivery }) => delivery)
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    );
    if (channel === "email") found.push(await api.getCampaignEmail({ path }));
    if (channel === "push") {
      const { counts, pageCounts } = (await api.getCampaignPush({ path, ...page })) as Record<
        string,
        unknown
      >;
      found.push(counts, pageCounts);
    }
  }
  const { users } = await api.listUsers(page);
  for (const id of users.map(({ externalUserId }) => externalUserId).sort()) {
    const path = { id };
    found.push(await api.getUser({ path }), (await api.listUserEvents({ path })).events);
  }
  const { days } = await api.getMetrics({ query: { range: "90d" } });
  found.push(days, await api.getAudienceCapabilities(), (await api.listEvents(page)).total);
  const numbers = new Map<string, number>();
  const text = JSON.stringify(found).replaceAll(
    /[a-z]+_[0-9a-f]{8}-[0-9a-f-]{27}|del_(?:[\w-]{48}|[\w-]{43})|\/media\/[0-9a-f-]{36}|http:\/\/127[\d.:]+/g,
    (id) => {
      if (!numbers.has(id)) numbers.set(id, numbers.size);
      return `#${numbers.get(id)}`;
    },
  );
  // Campaigns that ran come in paused, and the ids are new: that is all that is different, and the revision of a campaign is of both.
  const same = text
    .replaceAll(/"pausedBy":\{"by":"import"[^{}]*\}/g, '"pausedBy":null')
    .replaceAll(/"(running|scheduled)"/g, '"paused"')
    .replaceAll(/"revision":"[0-9a-f]{64}"(?!,"changes")/g, '"revision":""');
  const parts = JSON.parse(same) as unknown[];
  return parts.map((part) => JSON.stringify(part));
}
