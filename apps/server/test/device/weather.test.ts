import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SharedHouse, sharedHouse, type TestProject } from "../harness.ts";
import { rounds } from "../rounds.ts";
import { type Phone, phoneOf, seeded, sharedLock } from "./line.ts";

const house = sharedHouse();

const USERS = ["ada", "ben", "cleo"];
const PERMISSIONS = ["unknown", "denied", "granted"] as const;

/** What the app wants, as plainly as it can be said. */
type Wanted = {
  user: string | null | undefined;
  permission: (typeof PERMISSIONS)[number];
  consent: boolean;
  actions: string[];
  token: string | null;
};
type Done = { user: string; event: string; isSure: boolean };

/** Events of a project as devices reported them, in the order of the server. */
async function reportedTo({ database }: SharedHouse, { projectId }: TestProject) {
  const { rows } = await database.pool.query<{ event: string; user: string }>(
    `select o.command->>'event' as event, u.external_id as user from push_observations o
     join users u using (lane, user_key) where o.project_id = $1 order by received_order`,
    [projectId],
  );
  return rows;
}

/** Plays an app of one or two contexts, until all is said and the line is good. */
async function play(project: TestProject, seed: number): Promise<void> {
  const random = seeded(seed);
  const pick = <Each>(list: readonly Each[]): Each => {
    const found = list[Math.floor(random() * list.length)];
    if (found === undefined) throw new Error("nothing to pick");
    return found;
  };
  const phone: Phone = phoneOf(project, seed);
  phone.weather = pick([0, 0.2, 0.6]);
  const lock = seed % 3 === 0 ? sharedLock() : undefined;
  // A context that ends while it has the lock lets go of it in a browser, and not here: with two, none is ended.
  const contexts = lock === undefined ? [phone.open()] : [1, 2].map(() => phone.open({ exclusively: lock }));
  const wanted: Wanted = { user: undefined, permission: "unknown", consent: false, actions: [], token: null };
  const done: Done[] = [];
  let isTokenGiven = false;
  const trail: string[] = [];

  const setUser = (user: string | null): void => {
    if (wanted.user !== undefined && wanted.user !== user) wanted.consent = false;
    wanted.user = user;
  };
  for (let step = 0; step < 25; step++) {
    const app = pick(contexts);
    const roll = random();
    if (roll < 0.4) {
      const event = `event-${step}`;
      const entry = wanted.user === null ? null : { user: wanted.user ?? "", event, isSure: false };
      if (entry !== null) done.push(entry);
      if (lock === undefined && random() < 0.1) {
        // It is stored or not, as the context ends: then it may be there once, and need not be.
        trail.push(`end in ${event}`);
        app.stopAfter(Math.floor(random() * 6));
        void app.track(event, { step });
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        app.stop();
        contexts.splice(0, 1, phone.open());
      } else {
        trail.push(event);
        await app.track(event, { step });
        if (entry !== null) entry.isSure = true;
      }
    } else if (roll < 0.55) {
      const user = random() < 0.15 ? null : pick(USERS);
      trail.push(`identify ${user}`);
      if (user !== null) for (const each of done) each.user ||= user;
      else {
        // What was reported before any user was named has none.
        const kept = done.filter((each) => each.user !== "");
        done.splice(0, done.length, ...kept);
      }
      setUser(user);
      await (user === null ? app.reset() : app.identify(user));
    } else if (roll < 0.7) {
      const [permission, consent] = [pick(PERMISSIONS), random() < 0.7];
      trail.push(`facts ${permission} ${consent}`);
      const actions = [pick(["open", "reply"])];
      Object.assign(wanted, { permission, consent, actions });
      await app.setFacts({ permission, consent, capabilities: { actions, channels: [], richImages: false } });
    } else if (roll < 0.78) {
      wanted.token = random() < 0.2 ? null : `${seed}-${pick(["a", "b"])}`;
      isTokenGiven = true;
      trail.push(`token ${wanted.token}`);
      await app.setToken(wanted.token);
    } else if (roll < 0.83) {
      trail.push("active");
      await app.active();
    } else if (roll < 0.93) {
      trail.push("sync");
      await app.sync();
    } else if (lock === undefined) {
      trail.push("restart");
      app.stop();
      contexts.splice(0, 1, phone.open());
    }
  }
  phone.weather = 0;
  await phone.calm();
  if (wanted.user === undefined) {
    setUser("ada");
    for (const each of done) each.user ||= "ada";
    await contexts[0]?.identify("ada");
  }
  let last = null;
  for (const app of contexts) last = await app.sync();
  await phone.calm();
  const what = `seed ${seed}: ${trail.join(", ")}`;
  assert.ok(last, what);
  const { installation } = await project.sdk.getInstallation({
    path: { installationId: last.id },
    headers: {
      "X-Service-Installation-Capability": (
        JSON.parse(phone.secrets.get("tidings.secret") ?? "") as { capability: string }
      ).capability,
    },
  });
  assert.deepEqual(
    {
      user: installation.userId,
      permission: installation.permission,
      consent: installation.consent,
      actions: installation.capabilities.actions,
      token: installation.hasToken,
    },
    { ...wanted, token: isTokenGiven && wanted.token !== null },
    what,
  );
  const events = await reportedTo(house, project);
  const names = new Set(events.map(({ event }) => event));
  assert.equal(names.size, events.length, `${what}: twice: ${JSON.stringify(events)}`);
  assert.deepEqual(
    events,
    done
      .filter(({ event, isSure }) => isSure || names.has(event))
      .map(({ user, event }) => ({ event, user })),
    what,
  );
  assert.deepEqual(phone.faults, [], what);
}

describe("a device in all weathers", () => {
  it("ends as the app wants it, and reports each thing once and in order", async () => {
    const count = rounds(30, 400, 12);
    const projects: TestProject[] = [];
    for (let seed = 1; seed <= count; seed++) {
      const project = await house.project();
      projects.push(project);
      await play(project, seed);
    }
    for (const { projectId } of projects.slice(-3)) assert.deepEqual(await house.differences(projectId), {});
  });
});
