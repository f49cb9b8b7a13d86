import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { streamOf } from "./stream-of.ts";

function counted(pieces: number) {
  const seen = { read: 0, turns: 0, isOver: false, faults: [] as unknown[] };
  async function* source() {
    try {
      for (; seen.read < pieces; ) {
        seen.read++;
        yield `${seen.read}\n`;
      }
    } finally {
      seen.isOver = true;
    }
  }
  const stream = streamOf(source(), {
    take: (next) => {
      seen.turns++;
      return next();
    },
    brokeOff: (cause) => seen.faults.push(cause),
  });
  return { seen, stream };
}

describe("a file that is streamed", () => {
  it("reads a piece when the one before was taken, each in a turn of its own", async () => {
    const { seen, stream } = counted(1_000);
    const [first] = await Promise.all([
      stream.iterator({ destroyOnReturn: false }).next(),
      once(stream, "readable"),
    ]);
    assert.equal(first.value, "1\n");
    assert.ok(seen.read <= 4, `${seen.read} pieces were read for one`);
    assert.equal(seen.turns, seen.read);
    stream.destroy();
  });

  it("reads nothing more once its client is gone", async () => {
    const { seen, stream } = counted(1_000);
    await once(stream, "readable");
    stream.destroy();
    await once(stream, "close");
    assert.ok(seen.isOver, "the source has ended");
    assert.ok(seen.read <= 4);
    assert.deepEqual(seen.faults, []);
  });

  it("ends with an error where a piece cannot be read, which is heard of", async () => {
    const faults: unknown[] = [];
    const cause = new Error("no database");
    async function* broken() {
      yield "1\n";
      throw cause;
    }
    const stream = streamOf(broken(), { take: (next) => next(), brokeOff: (fault) => faults.push(fault) });
    const pieces: string[] = [];
    await assert.rejects(async () => {
      for await (const piece of stream) pieces.push(String(piece));
    }, cause);
    assert.deepEqual([pieces, faults], [["1\n"], [cause]]);
  });
});
