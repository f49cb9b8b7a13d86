import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allEnded } from "./all-ended.ts";
import { Leases } from "./leases.ts";

/** Leases `groups`, one after the other; an error among them is thrown. */
function leasesOf(groups: readonly (readonly number[] | Error | null)[], low = 2): Leases<number> {
  const left = [...groups];
  return new Leases(async () => {
    const next = left.shift() ?? null;
    if (next instanceof Error) throw next;
    return next;
  }, low);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("messages that are leased in groups", () => {
  it("are taken once each, by however many, until there are no more", async () => {
    const leases = leasesOf([[1, 2, 3], [4], [5, 6], null]);
    const taken: number[] = [];
    const work = async (): Promise<void> => {
      for (let next = await leases.take(); next !== null; next = await leases.take()) {
        taken.push(next);
        await nextTurn();
      }
    };
    await allEnded([work(), work(), work()]);
    assert.deepEqual(taken.sort(), [1, 2, 3, 4, 5, 6]);
  });

  it("are all worked before anybody hears of a lease that failed meanwhile", async () => {
    const leases = leasesOf([[1, 2], new Error("away")]);
    assert.equal(await leases.take(), 1);
    // The lease fails while no caller waits for it, which must not end the process.
    await nextTurn();
    assert.equal(await leases.take(), 2);
    await assert.rejects(leases.take(), /away/);
    await assert.rejects(leases.take(), /away/);
  });

  it("are leased no more after the end, which waits for the lease that is under way", async () => {
    const leased = Promise.withResolvers<readonly number[]>();
    let leasings = 0;
    const leases = new Leases<number>(() => {
      leasings++;
      return leased.promise;
    }, 1);
    const first = leases.take();
    const ended = leases.end();
    leased.resolve([1]);
    await ended;
    assert.equal(await first, 1);
    assert.equal(await leases.take(), null);
    assert.equal(leasings, 1);
  });
});

describe("works that all have to end", () => {
  it("are waited for, also when one fails", async () => {
    let isOver = false;
    const slow = nextTurn().then(() => {
      isOver = true;
    });
    await assert.rejects(allEnded([Promise.reject(new Error("first")), slow]), /first/);
    assert.equal(isOver, true);
  });
});
