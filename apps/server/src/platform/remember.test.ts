import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BoundedMap, type Remembering, remember } from "./remember.ts";

const BELIEVED_MS = 100;
const FRESH_MS = 50;

/** A cache on a clock that is moved by hand, whose loads are answered by hand. */
function watched(options: Partial<Remembering<string, null>> = {}) {
  const world = { now: 1_000, faults: [] as unknown[] };
  const loads: { name: string; answer: PromiseWithResolvers<string | null> }[] = [];
  const cache = remember<string, null>({
    clock: () => world.now,
    max: 3,
    believedMs: BELIEVED_MS,
    freshMs: FRESH_MS,
    load(name) {
      const answer = Promise.withResolvers<string | null>();
      loads.push({ name, answer });
      return answer.promise;
    },
    onFault: (cause) => world.faults.push(cause),
    ...options,
  });
  /** Answers the load that began last. */
  const answer = async (value: string | null): Promise<void> => {
    loads.at(-1)?.answer.resolve(value);
    await new Promise(setImmediate);
  };
  const fail = async (): Promise<void> => {
    loads.at(-1)?.answer.reject(new Error("away"));
    await new Promise(setImmediate);
  };
  /** Puts a value into memory. */
  const learn = async (name: string, value: string): Promise<void> => {
    const pending = cache.get(name);
    await answer(value);
    assert.equal(await pending, value);
  };
  return { world, loads, cache, answer, fail, learn };
}

describe("remember", () => {
  it("answers from memory, without a promise, until a value is too old", async () => {
    const { world, loads, cache, learn, answer } = watched({ freshMs: BELIEVED_MS });
    await learn("a", "first");
    world.now += BELIEVED_MS - 1;
    assert.equal(cache.get("a"), "first");
    world.now += 1;
    const pending = cache.get("a");
    assert.ok(pending instanceof Promise);
    await answer("second");
    assert.equal(await pending, "second");
    assert.equal(loads.length, 2);
  });

  it("counts the age of a value from the beginning of its load", async () => {
    const { world, cache, answer } = watched();
    void cache.get("a");
    world.now += BELIEVED_MS;
    await answer("slow");
    assert.equal(cache.believed("a"), undefined);
    assert.deepEqual(cache.kept("a"), { value: "slow", ageMs: BELIEVED_MS });
  });

  it("loads a name once at a time, however many ask, and several names side by side", async () => {
    const { loads, cache, answer } = watched();
    const pending = [cache.get("a"), cache.get("a"), cache.load("a").answer];
    const other = cache.get("b");
    assert.deepEqual(
      loads.map(({ name }) => name),
      ["a", "b"],
    );
    loads[0]?.answer.resolve("A");
    await answer("B");
    assert.deepEqual([await Promise.all(pending), await other], [["A", "A", "A"], "B"]);
    assert.equal(cache.loading("a"), undefined);
  });

  it("loads ahead of need behind the back of the caller, once, and goes on with what it knows where that fails", async () => {
    const { world, loads, cache, learn, fail, answer } = watched();
    await learn("a", "first");
    world.now += FRESH_MS;
    assert.deepEqual([cache.get("a"), cache.get("a"), loads.length], ["first", "first", 2]);
    await fail();
    assert.deepEqual([cache.get("a"), loads.length], ["first", 3]);
    assert.match(String(world.faults), /away/);
    await answer("second");
    assert.deepEqual([cache.get("a"), loads.length], ["second", 3]);
  });

  it("throws where nothing that is believed is left, keeps what it knew, and asks again", async () => {
    const { world, cache, learn, fail, answer } = watched();
    await learn("a", "first");
    world.now += BELIEVED_MS;
    const pending = assert.rejects(async () => cache.get("a"), /away/);
    await fail();
    await pending;
    assert.deepEqual(cache.kept("a"), { value: "first", ageMs: BELIEVED_MS });
    const again = cache.get("a");
    await answer("second");
    assert.equal(await again, "second");
    assert.deepEqual(world.faults, []);
  });

  it("does not keep what is missing, and forgets a value that is missing now", async () => {
    const { world, loads, cache, learn, answer } = watched();
    for (let round = 1; round <= 2; round++) {
      const pending = cache.get("a");
      await answer(null);
      assert.deepEqual([await pending, loads.length], [null, round]);
    }
    await learn("a", "first");
    world.now += FRESH_MS;
    assert.equal(cache.get("a"), "first");
    await answer(null);
    assert.equal(cache.kept("a"), undefined);
  });

  it("believes nothing whose clock was put back, or that says itself that it is over", async () => {
    const { world, cache, learn } = watched({ isOver: (value, now) => value === "brief" && now >= 1_010 });
    await learn("a", "brief");
    world.now = 1_009;
    assert.equal(cache.believed("a"), "brief");
    world.now = 1_010;
    assert.equal(cache.believed("a"), undefined);
    await learn("b", "long");
    world.now -= 1;
    assert.equal(cache.believed("b"), undefined);
  });

  it("keeps one value for names that turn out to share one", async () => {
    const groups = new Map<string, string>();
    const loaded: string[] = [];
    const cache = remember<string>({
      clock: () => 0,
      max: 9,
      believedMs: BELIEVED_MS,
      keyOf: (name) => groups.get(name) ?? name,
      async load(name) {
        loaded.push(name);
        groups.set(name, "group");
        return `by ${name}`;
      },
    });
    assert.equal(await cache.get("a"), "by a");
    assert.equal(await cache.get("b"), "by b", "what b belongs to is not known before");
    assert.deepEqual([cache.get("a"), cache.get("b"), loaded], ["by b", "by b", ["a", "b"]]);
  });

  it("never keeps more than it may, whatever is asked for and whenever it is answered", async () => {
    const step = fc.record({
      name: fc.constantFrom(..."abcdef"),
      ms: fc.nat({ max: 60 }),
      isFound: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const now = { ms: 0 };
        let running = new Set<string>();
        const cache = remember<{ name: string; at: number }, null>({
          clock: () => now.ms,
          max: 3,
          believedMs: BELIEVED_MS,
          freshMs: FRESH_MS,
          async load(name, at) {
            assert.ok(!running.has(name), "one load of a name at a time");
            running.add(name);
            await Promise.resolve();
            running = new Set([...running].filter((each) => each !== name));
            return steps.some((each) => each.name === name && each.isFound) ? { name, at } : null;
          },
        });
        for (const { name, ms } of steps) {
          now.ms += ms;
          // A caller that joins a load gets what was true when that load began, which may be longer ago.
          const joins = cache.loading(name) !== undefined;
          const answer = await cache.get(name);
          if (answer !== null) assert.ok(answer.name === name && (joins || now.ms - answer.at < BELIEVED_MS));
          const kept = [..."abcdef"].filter((each) => cache.kept(each) !== undefined);
          assert.ok(kept.length <= 3);
          assert.equal(kept.includes(name), answer !== null, "what was asked for last is kept");
        }
      }),
    );
  });
});

describe("a bounded map", () => {
  it("lets go of what was set longest ago", () => {
    const map = new BoundedMap<number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    assert.deepEqual(
      [...map],
      [
        ["a", 3],
        ["c", 4],
      ],
    );
  });
});
