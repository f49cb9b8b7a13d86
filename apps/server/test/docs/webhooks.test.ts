import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { PeopleClient } from "@tidings/client";
import { uuidFor } from "../../src/domain/ids.ts";
import { readImport } from "../../src/features/imports/public.ts";
import { ANSWER_MS, afterReply, FAILING_MS, IN_FLIGHT } from "../../src/features/webhooks/rules.ts";
import { KEPT_DAYS, MOST_WEBHOOKS } from "../../src/features/webhooks/schema.ts";
import { MOST_BODY_BYTES } from "../../src/features/webhooks/sending/body.ts";
import { MOST_WAITING } from "../../src/features/webhooks/store.ts";
import { MINUTE_MS } from "../../src/platform/time/clock.ts";
import { claim, dueCampaign, PAUSE, propose } from "../agent.ts";
import { setSettings } from "../email.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail } from "../factories.ts";
import { type TestHouse, type TestProject, testHouse } from "../harness.ts";
import { clientOf } from "../people.ts";
import { keepSecrets } from "../secrets/secrets-of-the-run.ts";
import { openBrowser } from "../visitors.ts";
import { openReceiver, type Receiver } from "../webhooks.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/webhooks.md", import.meta.url));
const house = testHouse({ webhooksPrivate: true });

type Verify = (secret: string, headers: object, body: string) => boolean;

/** The function that the page shows, as a module. */
async function shownFunction(): Promise<Verify> {
  const [text = ""] = blocksOf("js");
  const { isFromTidings } = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as {
    isFromTidings: Verify;
  };
  return isFromTidings;
}

/** A sync whose place has a file where it would make a folder, tried three times. */
async function failingSync({ tidings, advance, drain }: TestHouse, client: PeopleClient): Promise<void> {
  await client.createSync({
    body: { lists: ["users"], format: "csv", every: "day", to: { folder: "lake" } },
  });
  await writeFile(join(tidings.app.config.syncsFolder ?? "", "lake", "users"), "");
  for (const minutes of [0, 1, 2]) {
    advance(minutes * MINUTE_MS);
    await drain();
  }
}

/** Has everything happen of which the page has an example. */
async function everythingHappens(project: TestProject): Promise<void> {
  const { api, sdk, projectId } = project;
  const { id } = await launchCampaign(project, { name: "Spring" });
  await sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
  const [message] = await messagesOf(project, "ada");
  for (const type of ["shown", "clicked"] as const)
    await feedback(project, message?.deliveryId ?? "", "ada", type);
  await setSettings(house, project, { "visitors.enabled": "true" });
  const browser = openBrowser(project, "docs-webhooks");
  await browser.track("looked");
  await browser.signIn("ada");
  await api.updateCampaign({ path: { id }, body: { pages: ["/spring"] } });
  const { client } = await clientOf(house, projectId, "owner");
  await client.suppressEmailAddress({ body: { address: "eve@example.com" } });
  await pausedByGuardrail(house, project);
  const due = await dueCampaign(house, project, { goal: { approvalMode: "require_human" } });
  await propose(project, { ...due, ...(await claim(project, due.id)) }, PAUSE);
  const { import: file } = await api.createImport({ body: { kind: "users", name: "people.csv" } });
  await api.uploadImportPart({ path: { id: file.id, n: 1 }, file: new Blob(["id,plan\nbob,free\n"]) });
  await api.startImport({ path: { id: file.id }, body: {} });
  await readImport(house.tidings.app, projectId, uuidFor("imp", file.id), new AbortController().signal);
  await failingSync(house, client);
  await client.eraseUser({ path: { id: "ada" } });
  await house.drain();
}

describe("docs/webhooks.md", () => {
  let receiver: Receiver;
  let secret: string;

  before(async () => {
    house.at(Date.now());
    const project = await house.project();
    receiver = await openReceiver();
    const env = { ...process.env, TIDINGS: house.url, API_KEY: project.secretKey, HOOK: receiver.url };
    const run = promisify(execFile);
    const [command = ""] = blocksOf("bash");
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", command], { env });
    ({ secret } = JSON.parse(stdout) as { secret: string });
    keepSecrets(secret);
    assert.match(stdout, shownAnswer(blocksOf("text")[0] ?? "-"));
    await everythingHappens(project);
  });

  it("shows bodies as they are sent", () => {
    const bodies = receiver.received.map(({ body }) => body);
    const shown = blocksOf("json").map((text) => text.replaceAll(/\n\s*/g, ""));
    assert.ok(shown.length > 9);
    for (const example of shown) {
      const pattern = new RegExp(`^${shownAnswer(example).source}$`);
      assert.ok(
        bodies.some((body) => pattern.test(body)),
        `${example}\n${bodies.filter((body) => body.startsWith(example.slice(0, 20))).join("\n")}`,
      );
    }
  });

  it("has a function of ten lines that believes what is signed, and nothing else", async () => {
    const isFromTidings = await shownFunction();
    assert.ok((blocksOf("js")[0] ?? "").trim().split("\n").length <= 11);
    const [first] = receiver.received;
    assert.ok(first);
    const { headers, body } = first;
    for (const each of receiver.received) assert.ok(isFromTidings(secret, each.headers, each.body));
    assert.ok(!isFromTidings(secret, headers, body.replace("data", "date")));
    assert.ok(!isFromTidings(`whsec_${Buffer.alloc(32).toString("base64")}`, headers, body));
    assert.ok(!isFromTidings(secret, { ...headers, "webhook-timestamp": "1700000000" }, body));
    assert.ok(!isFromTidings(secret, {}, body));
    const two = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
    assert.ok(isFromTidings(secret, two, body));
  });

  it("says how long, how often and how many", () => {
    const waits = Array.from({ length: 10 }, (_, tries) => {
      const { dueAt } = afterReply({ status: null, fault: "-" }, { tries, now: 0, chance: 0.5 });
      return dueAt;
    });
    const [, schedule = ""] = /tried again after ([^,]+(?:, [^,]+)* and 24 h)/.exec(PAGE) ?? [];
    const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };
    const written = schedule.split(/, | and /).map((each) => {
      const [amount, unit = ""] = each.split(" ");
      return Number(amount) * (units[unit] ?? Number.NaN);
    });
    assert.deepEqual([...written, null], waits);
    for (const sentence of [
      `within ${ANSWER_MS / 1_000} seconds`,
      `up to ${IN_FLIGHT} requests at once`,
      `for ${KEPT_DAYS} days`,
      `at\n   most ${MOST_WEBHOOKS} webhooks`,
      `at most ${MOST_BODY_BYTES / 1_024} KiB`,
      `more than ${MOST_WAITING.toLocaleString("en")} messages`,
    ])
      assert.ok(PAGE.includes(sentence), sentence);
    assert.equal(FAILING_MS, 5 * 24 * 3_600_000, "five days");
  });
});
