import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectDefaultMetrics, Registry } from "prom-client";
import { readBuild } from "../src/platform/build.ts";
import { writeHeartbeat } from "../src/platform/loops/processes-store.ts";
import { createMetrics, type Metrics } from "../src/platform/metrics.ts";
import { collectNodeMetrics } from "../src/platform/node-metrics.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { launchEmail, people, sendingProject } from "./email.ts";
import { testHouse } from "./harness.ts";
import { startSmtp } from "./peers/smtp.ts";
import { launchPush, pushHouse, reachable } from "./push.ts";
import { openReceiver } from "./webhooks.ts";

/** Numbers of a Prometheus text by name and labels. */
function numbersOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line.startsWith("tidings_"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

async function shown(url: string, names: readonly string[]): Promise<Record<string, number | undefined>> {
  const numbers = numbersOf(await (await fetch(`${url}/metrics`)).text());
  return Object.fromEntries(names.map((name) => [name, numbers.get(name)]));
}

describe("the metrics of Node.js", () => {
  it("are all that prom-client has, under its names", () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    const ours = new Registry();
    collectNodeMetrics(ours);
    assert.deepEqual(
      names.filter((name) => ours.getSingleMetric(name) === undefined),
      [],
    );
  });

  it("show by how much the event loop was late since the last scrape, and not the time between two looks", async () => {
    const registry = new Registry();
    collectNodeMetrics(registry);
    const read = async (name: string): Promise<number> => {
      const text = await registry.getSingleMetricAsString(`nodejs_eventloop_lag${name}_seconds`);
      return Number(text.trim().split(" ").at(-1));
    };
    const looks = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await new Promise((resolve) => setTimeout(resolve, 110));
    };
    await read("");
    const end = performance.now() + 600;
    while (performance.now() < end);
    await looks(6);
    assert.ok((await read("")) >= 0);
    assert.ok((await read("_max")) >= 0.4, `max ${await read("_max")}`);
    assert.ok((await read("_min")) < 0.1, `min ${await read("_min")}`);
  });
});

describe("/metrics", () => {
  const house = testHouse();

  it("says which version runs, and of which commit", async () => {
    const { version, commit } = await readBuild();
    const name = `tidings_build_info{version="${version}",commit="${commit ?? ""}"}`;
    assert.deepEqual(await shown(house.url, [name]), { [name]: 1 });
  });
});

const outcome = (channel: string, kind: string): string =>
  `tidings_${channel}_outcomes_total{outcome="${kind}"}`;

describe("/metrics of a server that sends", () => {
  const house = testHouse();

  it("shows what mail waits, what stands still and what came of attempts, of all projects", async () => {
    const peer = await startSmtp({
      onRecipient: (to) => (to.startsWith("gone") ? { code: 550, text: "5.1.1 No such user" } : null),
      onMessage: ({ to }) => (to.startsWith("lost") ? "drop" : null),
    });
    const [project, slow] = [
      await sendingProject(house, peer.port),
      await sendingProject(house, peer.port, { "email.perMinute": "1" }),
    ];
    await people(project, ["ada", "ben", "gone", "lost"]);
    await people(slow, ["ada", "ben", "cleo"]);
    await launchEmail(project);
    await launchEmail(slow);
    await house.drain();
    await peer.close();
    const stuck = await sendingProject(house, peer.port);
    await people(stuck, ["ada"]);
    await launchEmail(stuck);
    await house.drain();
    const worker = { leaseOwner: newUuid(house.now()), serves: false, works: true, looksAfter: false };
    await writeHeartbeat(house.database.hotPool, worker, {
      evictAfterMs: null,
      serverForMs: 0,
      expectedAt: null,
    });
    const expected = {
      tidings_email_waiting: 2,
      tidings_email_unknown: 1,
      tidings_email_faults: 1,
      // The test counts as one of them.
      tidings_workers: 2,
      [outcome("email", "accepted")]: 3,
      [outcome("email", "rejected")]: 1,
      [outcome("email", "unknown")]: 1,
    };
    assert.deepEqual(await shown(house.url, Object.keys(expected)), expected);
  });
});

const pushes = await pushHouse();

describe("/metrics of a server that sends push", () => {
  it("shows what waits and what came of attempts", async () => {
    const project = await pushes.sendingProject();
    for (const userId of ["ada", "ben"]) await reachable(project, userId);
    await launchPush(project);
    await pushes.house.drain();
    const { id } = await launchPush(project, { name: "Second" });
    await project.api.dispatchCampaignPush({ path: { id } });
    const expected = {
      tidings_push_waiting: 2,
      tidings_push_faults: 0,
      [outcome("push", "accepted")]: 2,
      [outcome("push", "rejected")]: 0,
    };
    assert.deepEqual(await shown(pushes.house.url, Object.keys(expected)), expected);
  });
});

describe("/metrics of a server with webhooks", () => {
  const house = testHouse({ webhooksPrivate: true });

  it("shows what waits, which are off for a fault, and what came of requests, of all projects", async () => {
    const answers = new Map([
      ["/hook/takes", 204],
      ["/hook/fails", 500],
      ["/hook/is-gone", 410],
    ]);
    const { url } = await openReceiver(({ path }) => ({ status: answers.get(path) ?? 404 }));
    for (const path of ["takes", "fails", "is-gone", "off"]) {
      const { api } = await house.project();
      const body = { url: `${url}/${path}`, types: ["*" as const] };
      const { webhook } = await api.createWebhook({ body });
      await api.testWebhook({ path: { id: webhook.id } });
      if (path === "off") await api.changeWebhook({ path: { id: webhook.id }, body: { state: "off" } });
    }
    await house.drain();
    const expected = {
      tidings_webhooks_waiting: 1,
      tidings_webhooks_off: 1,
      [outcome("webhooks", "delivered")]: 1,
      [outcome("webhooks", "failed")]: 2,
    };
    assert.deepEqual(await shown(house.url, Object.keys(expected)), expected);
  });
});

describe("numbers of the database", () => {
  const textOf = ({ registry }: Metrics): Promise<string> => registry.metrics();

  it("are asked for every ten seconds at most, once for all that are shown", async () => {
    let now = 0;
    let reads = 0;
    const metrics = createMetrics(() => now);
    metrics.gauges({ tidings_a: "One.", tidings_b: "Another." }, async () => {
      reads++;
      return { tidings_a: reads, tidings_b: reads };
    });
    for (const at of [0, 1, 9_999]) {
      now = at;
      assert.deepEqual([...numbersOf(await textOf(metrics)).values()], [1, 1]);
    }
    now = 10_000;
    assert.deepEqual([...numbersOf(await textOf(metrics)).values()], [2, 2]);
    assert.equal(reads, 2);
  });

  it("are left out while they are not known, and come back", async () => {
    let now = 0;
    let isAway = false;
    const metrics = createMetrics(() => now);
    metrics.gauges({ tidings_a: "One." }, async () => {
      if (isAway) throw new Error("away");
      return { tidings_a: 1 };
    });
    const values: number[][] = [];
    for (isAway of [false, true, false]) {
      values.push([...numbersOf(await textOf(metrics)).values()]);
      now += 10_000;
    }
    assert.deepEqual(values, [[1], [], [1]]);
  });
});
