import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import type { App } from "../runtime.ts";
import { HOUR_MS } from "../time/clock.ts";
import { aloneLoop } from "./alone-loop.ts";
import { changes, rouse } from "./changes.ts";
import { notifyProcesses } from "./changes-store.ts";
import { type Loop, loop, type RunningLoops, startLoops } from "./loops.ts";
import { processes } from "./processes.ts";
import { projectLoop } from "./project-loop.ts";

// With a `databaseUrl`, as if the operator's own PostgreSQL were used: its processes announce changes to each other.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });
const PACE_MS = 5;

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

type Counted = { turns: number; declared: Loop };

/** A loop that counts its turns and finds nothing to do. */
function idle(name: string, nextAt?: Loop["nextAt"]): Counted {
  const counted: Counted = {
    turns: 0,
    declared: loop({
      name,
      restMs: PACE_MS,
      ...(nextAt && { nextAt }),
      async turn() {
        counted.turns++;
        return false;
      },
    }),
  };
  return counted;
}

/** Whether a loop had no turn while another one, which keeps its pace, had twenty. */
async function rests({ paced, resting }: { paced: Counted; resting: Counted }): Promise<boolean> {
  const [turns, end] = [resting.turns, paced.turns + 20];
  await until(() => paced.turns >= end, "the other loop has its turns");
  return resting.turns === turns;
}

describe("loops of a process in which nothing changes", () => {
  let project: TestProject;
  let app: App;
  let other: App;
  let running: RunningLoops;
  const resting = idle("resting");
  const paced = idle("paced", ({ clock }) => clock());
  const pair = { paced, resting };
  const isResting = () => rests(pair);

  before(async () => {
    app = house.tidings.app;
    other = (await house.second()).app;
    project = await house.project();
    running = startLoops(app, [resting.declared, paced.declared]);
  });
  after(() => running.stop());

  /** Does something that may be work for loops, and waits until the loop that rests has looked, and rests again. */
  async function rouses(what: string, act: () => Promise<unknown>): Promise<void> {
    await until(isResting, `it rests before ${what}`);
    const { turns } = resting;
    await act();
    await until(() => resting.turns > turns, `it looks after ${what}`);
    await until(isResting, `it rests again after ${what}`);
  }

  it("keep their pace as long as they do not learn of changes by other processes", async () => {
    for (let round = 0; round < 3; round++) assert.equal(await isResting(), false);
  });

  it("rest, but for those that have work to expect", async () => {
    app.get(changes).listen();
    await until(isResting, "it rests");
  });

  it("look after a management write", async () => {
    await rouses("a write", () =>
      project.api.createGoal({ body: { name: "More orders", targetEvent: "order" } }),
    );
  });

  it("look after a management write that another process answered", async () => {
    const theirs = await house.elsewhere(project);
    await rouses("a write elsewhere", () =>
      theirs.api.createGoal({ body: { name: "Fewer returns", targetEvent: "return" } }),
    );
  });

  it("look after an event that matters to a journey, here or elsewhere", async () => {
    const { journey } = await project.api.createJourney({
      body: {
        name: "Trial",
        entry: { on: "event", event: "trial_started" },
        steps: [{ id: "pause", kind: "wait", for: { amount: 1, unit: "days" } }],
      },
    });
    await project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
    for (const { api } of [project, await house.elsewhere(project)])
      await rouses("an event", () => api.track({ body: { userId: "ada", event: "trial_started" } }));
  });

  it("look after a command, which notifies all processes", async () => {
    await rouses("a command", () => notifyProcesses(other.database.background.pool, "command"));
  });

  it("look after another loop has done something, here or elsewhere", async () => {
    for (const where of [app, other]) {
      let left = 1;
      const worker = loop({ name: "worker", restMs: HOUR_MS, turn: async () => left-- > 0 });
      await rouses("work", async () => {
        const working = startLoops(where, [worker]);
        await until(() => left < 0, "it has worked");
        await working.stop();
      });
    }
  });

  it("are not asked to look by reads, nor by events", async () => {
    await until(isResting, "it rests");
    const { turns } = resting;
    await project.api.listGoals({});
    await project.sdk.track({ body: { userId: "ada", event: "order" } });
    assert.equal(await isResting(), true);
    assert.equal(resting.turns, turns);
  });

  it("keep their pace while nothing reaches them, and rest again once they listen again", async () => {
    await until(isResting, "it rests");
    await house.database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidings changes' and datname = current_database()",
    );
    const { turns } = resting;
    await until(() => resting.turns > turns + 3, "it keeps its pace");
    await until(isResting, "it rests again");
  });

  it("look once more where something changes while they look", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let turns = 0;
    const looking = loop({
      name: "looking",
      restMs: PACE_MS,
      async turn() {
        turns++;
        begun.resolve();
        if (turns === 1) await release.promise;
        return false;
      },
    });
    await until(isResting, "nothing changes");
    const started = startLoops(app, [looking]);
    await begun.promise;
    rouse(app);
    await until(isResting, "all others have looked");
    release.resolve();
    await until(() => turns >= 2, "it looks once more");
    await started.stop();
  });

  it("look as soon as their period is over, where something changes in it", async () => {
    let turns = 0;
    const alone = aloneLoop({
      name: "alone",
      everyMs: 20,
      async turn() {
        turns++;
      },
    });
    await app.get(processes).startWorking();
    await until(isResting, "nothing changes");
    const started = startLoops(app, [alone]);
    // Each change comes at another instant of the period, and its pause ends about when the next turn is due.
    for (let n = 0; n < 40; n++) {
      const before = turns;
      rouse(app);
      await until(() => turns > before, "it looks after a change");
      await new Promise((resolve) => setTimeout(resolve, n % 20));
    }
    await started.stop();
    await app.get(processes).leave();
  });

  it("rest until work comes due that they know of, and not longer", async () => {
    const due = { projectId: "a", dueAt: house.now() + 50 };
    let looks = 0;
    let done = 0;
    const expecting = projectLoop({
      name: "expecting",
      restMs: PACE_MS,
      async find(_app, { until }) {
        looks++;
        return done === 0 && due.dueAt <= until ? [due] : [];
      },
      async turn() {
        done++;
        return false;
      },
    });
    await until(isResting, "nothing changes");
    const began = performance.now();
    const started = startLoops(app, [expecting]);
    await until(() => looks >= 2, "it looks when the work should be due");
    assert.ok(performance.now() - began >= 49, "and not before");
    assert.equal(done, 0, "the clock stands still");
    house.advance(50);
    await until(() => done >= 1, "its turn has come");
    await started.stop();
  });

  it("look once more after a turn that did nothing, which may have put its work off", async () => {
    const due = { projectId: "a", dueAt: house.now() };
    const looks: number[] = [];
    const putOff = projectLoop({
      name: "put off",
      restMs: PACE_MS,
      async find() {
        looks.push(due.dueAt - house.now());
        return [due];
      },
      async turn() {
        due.dueAt += 100;
        return false;
      },
    });
    await until(isResting, "nothing changes");
    const started = startLoops(app, [putOff]);
    await until(() => looks.length >= 2, "it looks once more, and not after its longest rest");
    assert.deepEqual(looks.slice(0, 2), [0, 100]);
    await started.stop();
  });

  it("rest where work stays due that no turn can do now", async () => {
    let looks = 0;
    const stuck = projectLoop({
      name: "stuck",
      restMs: PACE_MS,
      async find() {
        looks++;
        return [{ projectId: "a" }];
      },
      turn: async () => false,
    });
    await until(isResting, "nothing changes");
    const started = startLoops(app, [stuck]);
    await until(() => looks >= 2, "it looks once more");
    await until(isResting, "the others rest");
    assert.equal(looks, 2);
    rouse(app);
    await until(() => looks > 2, "a change may let it go on");
    await started.stop();
  });
});
