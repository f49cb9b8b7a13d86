import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allEnded, Claims } from "./claims.ts";

/** Claims of `groups`, one after the other; what is an error is thrown. */
function claimsOf(groups: readonly (readonly number[] | Error | null)[], low = 2): Claims<number> {
  const left = [...groups];
  return new Claims(async () => {
    const next = left.shift() ?? null;
    if (next instanceof Error) throw next;
    return next;
  }, low);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("rows that are claimed in groups", () => {
  it("are taken once each, by however many, until there are no more", async () => {
    const claims = claimsOf([[1, 2, 3], [4], [5, 6], null]);
    const taken: number[] = [];
    const work = async (): Promise<void> => {
      for (let next = await claims.take(); next !== null; next = await claims.take()) {
        taken.push(next);
        await nextTurn();
      }
    };
    await allEnded([work(), work(), work()]);
    assert.deepEqual(taken.sort(), [1, 2, 3, 4, 5, 6]);
  });

  it("are all worked before anybody hears of a claim that failed meanwhile", async () => {
    const claims = claimsOf([[1, 2], new Error("away")]);
    assert.equal(await claims.take(), 1);
    // Nobody waits for the claim that fails now: it must not end the process.
    await nextTurn();
    assert.equal(await claims.take(), 2);
    await assert.rejects(claims.take(), /away/);
    await assert.rejects(claims.take(), /away/);
  });

  it("are claimed no more after the end, which waits for the claim that is under way", async () => {
    const claimed = Promise.withResolvers<readonly number[]>();
    let asked = 0;
    const claims = new Claims<number>(() => {
      asked++;
      return claimed.promise;
    }, 1);
    const first = claims.take();
    const ended = claims.end();
    claimed.resolve([1]);
    await ended;
    assert.equal(await first, 1);
    assert.equal(await claims.take(), null);
    assert.equal(asked, 1);
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
