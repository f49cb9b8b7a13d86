import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { testHouse } from "../../../../test/harness.ts";
import { Played } from "../../../../test/journey-model/play.ts";
import { Gaps, World } from "../../../../test/journey-model/worlds.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { rounds, seedOf } from "../../../../test/rounds.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp({
    onRecipient: (to) => (to.startsWith("ghost-") ? { code: 550, text: "5.1.1 No such user" } : null),
  });
});
after(() => smtp.close());

/** `MODEL_WORLDS=300 npm test -- journeys/moving/model` plays more worlds, `TIDINGS_SEED` those of a seed, `MODEL_ONLY=7` one of them. */
const WORLDS = Number(process.env.MODEL_WORLDS ?? rounds(8, 200));
const ONLY = process.env.MODEL_ONLY === undefined ? null : Number(process.env.MODEL_ONLY);
/** Worlds whose hours are the same, so that each turn of the house is one of all of them. */
const TOGETHER = 50;
/** How far into an hour users may go on: those whose mail has left do so some seconds later. */
const WITHIN_MS = 20 * MINUTE_MS;

/** Does everything that is due by some minutes later, whatever it makes due before. */
async function doAllDue(): Promise<void> {
  const until = house.now() + WITHIN_MS;
  for (;;) {
    await house.drain();
    const { rows } = await house.database.pool.query<{ due: string | null }>(
      `select min(e.due_at) as due from journey_entries e join journeys j on j.id = e.journey_id
      left join campaigns c on c.journey_id = j.id and c.step_id = e.step_id and c.status = 'paused'
      where e.left_at is null and j.status = 'running' and c.id is null and e.due_at <= $1`,
      [until],
    );
    const due = rows[0]?.due ?? null;
    if (due === null) break;
    house.at(Math.max(Number(due), house.now() + SECOND_MS));
    assert.ok(house.now() <= until + MINUTE_MS, "everybody comes to rest within some minutes");
  }
}

/** The subjects that each address got, in their order. */
const subjects = (): ReadonlyMap<string, string[]> =>
  new Map(
    [...Map.groupBy(smtp.taken, ({ to }) => to)].map(([to, taken]) => [
      to,
      taken.map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString("utf8"))?.[1]?.trim() ?? ""),
    ]),
  );

describe("journeys", () => {
  it(`go as a plain reading of them says, in ${WORLDS} worlds`, { timeout: 1_100_000 }, async (t) => {
    const seed = seedOf();
    t.diagnostic(`seed ${seed}`);
    const worlds = fc.sample(World, { seed, numRuns: WORLDS });
    const gaps = fc.sample(Gaps, { seed, numRuns: Math.ceil(WORLDS / TOGETHER) });
    const failed: string[] = [];
    const played = new Map<string, number>();
    for (const [batch, hours] of gaps.entries()) {
      const first = batch * TOGETHER;
      const numbers = worlds.flatMap((_, n) =>
        n >= first && n < first + TOGETHER && (ONLY === null || n === ONLY) ? [n] : [],
      );
      let hour = Math.ceil(house.now() / HOUR_MS) + 1;
      house.at(hour * HOUR_MS);
      const playing = new Map<number, Played>();
      for (const number of numbers) {
        const world = worlds[number];
        if (world !== undefined) playing.set(number, await Played.open(house, smtp.port, world, number));
      }
      /** Does something in each world that has not failed. */
      const each = async (act: (world: Played) => Promise<void> | void): Promise<void> => {
        for (const [number, world] of playing) {
          try {
            await act(world);
          } catch (error) {
            playing.delete(number);
            const failure = `world ${number}:\n${world.trail.join("\n")}\n${(error as Error).message}`;
            t.diagnostic(failure);
            failed.push(failure);
          }
        }
      };
      for (const [tick, gap] of hours.entries()) {
        hour += gap;
        house.at(hour * HOUR_MS);
        await each((world) => world.act(tick, hour));
        await doAllDue();
        await each((world) => world.catchUp(hour));
        if (tick % 6 === 5 || ONLY !== null) {
          const taken = subjects();
          await each((world) => world.compare(taken));
        }
      }
      for (const world of playing.values()) world.tally(played);
      t.diagnostic(`${first + numbers.length} worlds, ${failed.length} failed`);
      smtp.taken.length = 0;
    }
    t.diagnostic(JSON.stringify(Object.fromEntries([...played].sort())));
    assert.equal(failed.length, 0, failed.slice(0, 5).join("\n\n"));
  });
});
