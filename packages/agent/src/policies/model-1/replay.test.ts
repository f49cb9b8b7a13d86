import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedHouse } from "../../../../../apps/server/test/harness.ts";
import {
  campaignScene,
  policyWith,
  type Scene,
  testModel,
} from "../../../../../apps/server/test/model-scene.ts";
import {
  calls,
  decides,
  type ModelAnswer,
  refuses,
  type ScriptedCall,
  saysOnly,
} from "../../../../../apps/server/test/peers/model-server.ts";
import { rounds } from "../../../../../apps/server/test/rounds.ts";
import { canonicalHash, canonicalJson } from "../../canonical.ts";
import type { Decided, TranscriptEntry } from "../../policy.ts";
import { ReplayDifference, replayModel1 } from "./index.ts";

const house = sharedHouse();
const model = testModel();
const DIALOGUES = rounds(100, 500);

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Dice = { below(count: number): number; one<Item>(items: readonly Item[]): Item };

function diceOf(seed: number): Dice {
  const next = random(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return { below, one: (items) => items[below(items.length)] as (typeof items)[number] };
}

const WORDS = ["paid", "Größe", "日本", "a\nb", '"quoted"', "\\back", "😀", "line\u2028sep", "<b>", ""];

function randomCall({ below, one }: Dice): ScriptedCall {
  const input = one([
    {},
    { event: one(WORDS) },
    { page: below(3) },
    {
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "exists" },
      },
    },
    { expression: one(WORDS) },
    '{"event": "pa',
    "[]",
    { campaignId: "cmp_x" },
  ]);
  const name = one(["conversions", "runs", "capabilities", "audience", "audience", "unknown", "toString"]);
  return { name, input, id: one([null, "", "same", `call_${below(1_000_000)}`]) };
}

function randomDecision({ below, one }: Dice, variantIds: readonly string[]): ModelAnswer {
  const reason = `Because ${one(WORDS)}.`;
  return decides(
    one([
      { action: one(["nothing", "pause", "end", "launch"]), reason },
      { action: "update", name: `Autumn ${one(WORDS)}`, reason },
      { action: "update", variants: [{ id: one(variantIds), weight: below(110) }], reason },
      {
        action: "update",
        variants: variantIds.map((id) => ({ id, weight: below(100), message: { title: one(WORDS) } })),
        reason,
      },
      '{"action": "pau',
      { action: one(WORDS), reason },
      { reason },
    ]),
  );
}

function randomAnswer(dice: Dice, variantIds: readonly string[]): ModelAnswer {
  const { below, one } = dice;
  const kind = below(20);
  if (kind < 11) {
    const wanted = Array.from({ length: 1 + below(10) }, () => randomCall(dice));
    const usage = one([undefined, null, { prompt_tokens: below(5_000), completion_tokens: below(500) }]);
    return calls(wanted, { ...(usage === undefined ? {} : { usage }), says: one([null, ...WORDS]) });
  }
  if (kind < 15) return randomDecision(dice, variantIds);
  if (kind < 17) return refuses(one([429, 429, 503, 400, 401]), `No ${one(WORDS)}`, { "retry-after": "0" });
  if (kind === 17) return saysOnly(one(WORDS), one(["stop", "length"]));
  return { body: one(["<html>", "{}", '{"choices": []}', '{"choices": [1e999]}', ""]) };
}

type Played = { scene: Scene; found: Decided };

/** Plays scripts that a seed makes up, against one campaign. */
async function played(count: number): Promise<Played[]> {
  const project = await house.project();
  const { scene, variantIds } = await campaignScene(house, project);
  const all: Played[] = [];
  for (let seed = 1; seed <= count; seed++) {
    const dice = diceOf(seed);
    model.play(() => randomAnswer(dice, variantIds));
    const limits = { maxSteps: 1 + dice.below(8), maxTokens: dice.one([3_000, 60_000]) };
    all.push({ scene, found: await policyWith(model.server, limits).decide(scene) });
  }
  return all;
}

/** The entries with hashes that fit to what they say now. */
function rehashed(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  let before = "";
  return entries.map(({ request, response }) => {
    before = canonicalHash({ request, response }, before);
    return { request, response, hash: before };
  });
}

/** A dialogue with two questions and a decision. */
async function dialogue(): Promise<Played> {
  const project = await house.project();
  const { scene } = await campaignScene(house, project);
  model.play((_, nth) => {
    if (nth === 1) return refuses(429, "Slow down.", { "retry-after": "0" });
    if (nth < 3)
      return calls([
        { name: "conversions", input: { event: "paid" } },
        { name: "runs", input: {} },
      ]);
    return decides({ action: "pause", reason: "Few users convert." });
  });
  return { scene, found: await policyWith(model.server).decide(scene) };
}

const copyOf = (transcript: readonly TranscriptEntry[]): TranscriptEntry[] =>
  structuredClone([...transcript]);

function entryIn(entries: readonly TranscriptEntry[], index: number): TranscriptEntry {
  const entry = entries[index];
  assert.ok(entry);
  return entry;
}

/** The first turn of a role in the request of an entry. */
function turnIn(entries: readonly TranscriptEntry[], index: number, role: string): { content: string } {
  const turns = entryIn(entries, index).request.messages as { role: string; content: string }[];
  const turn = turns.find((each) => each.role === role);
  assert.ok(turn);
  return turn;
}

describe("a replay", () => {
  it(`of ${DIALOGUES} dialogues comes to the decision that was made, and asks no model`, async () => {
    const all = await played(DIALOGUES);
    const reasons = new Set<string>();
    const requested = model.server.requests.length;
    for (const { scene, found } of all) {
      // As it comes back from where it is kept.
      const transcript = JSON.parse(JSON.stringify(found.transcript)) as TranscriptEntry[];
      const again = await replayModel1(scene.snapshot, transcript);
      assert.equal(canonicalJson(again), canonicalJson(found.decision));
      reasons.add(found.decision.reason);
    }
    assert.equal(model.server.requests.length, requested);
    // The scripts come to most of what can happen.
    assert.ok(reasons.size > 20, [...reasons].join("\n"));
  });

  it("finds any byte of a transcript that was changed", async () => {
    const { scene, found } = await dialogue();
    const text = JSON.stringify(found.transcript);
    const bytes = Buffer.from(text);
    const dice = diceOf(7);
    let parsed = 0;
    for (let round = 0; round < 1_000; round++) {
      const at = dice.below(bytes.length);
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << dice.below(7)), at);
      let transcript: TranscriptEntry[];
      try {
        transcript = JSON.parse(changed.toString()) as TranscriptEntry[];
      } catch {
        continue;
      }
      if (JSON.stringify(transcript) === text) continue;
      parsed += 1;
      await assert.rejects(
        replayModel1(scene.snapshot, transcript),
        `byte ${at}: ${changed.toString("utf8", at - 20, at + 20)}`,
      );
    }
    assert.ok(parsed > 500);
  });

  it("finds what was changed together with all hashes, and says where", async () => {
    const { scene, found } = await dialogue();
    assert.equal(found.transcript.length, 4);
    const document = (from: string, to: string) => (entries: TranscriptEntry[]) => {
      const user = turnIn(entries, 0, "user");
      user.content = user.content.replace(from, to);
    };
    const cases: [string, (entries: TranscriptEntry[]) => unknown, number, RegExp][] = [
      [
        "another instruction",
        (entries) => Object.assign(turnIn(entries, 0, "system"), { content: "End all campaigns." }),
        ...([0, /has another request/] as const),
      ],
      ["another message", document("Have a look", "Have a book"), 0, /another message of var_/],
      ["another count", document('"convertedUsers":7', '"convertedUsers":8'), 0, /has another snapshot/],
      ["other limits", document('"maxSteps":8', '"maxSteps":3'), 1, /has another request/],
      [
        "another model, later",
        (entries) => Object.assign(entryIn(entries, 1).request, { model: "large-1" }),
        ...([1, /has another request/] as const),
      ],
      [
        "another answer of a tool, once",
        (entries) => Object.assign(turnIn(entries, 1, "tool"), { content: '{"answer":[]}' }),
        ...([2, /has another request/] as const),
      ],
      [
        "other arguments of a tool",
        (entries) => {
          const text = JSON.stringify(entryIn(entries, 0).response);
          const response = JSON.parse(text.replace("paid", "left")) as TranscriptEntry["response"];
          entryIn(entries, 0).response = response;
        },
        ...([1, /has another request/] as const),
      ],
      ["an end that was cut off", (entries) => entries.pop(), 3, /is missing/],
      ["more after the end", (entries) => entries.push(entryIn(entries, 3)), 4, /would not be sent now/],
      [
        "a response that is none",
        (entries) => Object.assign(entryIn(entries, 1), { response: { words: "yes" } }),
        ...([1, /has a response that is none/] as const),
      ],
      [
        "a request without messages",
        (entries) => Object.assign(entryIn(entries, 0), { request: {} }),
        0,
        /no document/,
      ],
    ];
    for (const [what, change, exchange, message] of cases) {
      const entries = copyOf(found.transcript);
      change(entries);
      assert.notDeepEqual(entries, found.transcript, what);
      await assert.rejects(replayModel1(scene.snapshot, rehashed(entries)), (cause) => {
        assert.ok(cause instanceof ReplayDifference, `${what}: ${cause}`);
        assert.match(cause.message, message, what);
        assert.equal(cause.exchange, exchange, what);
        return true;
      });
    }
  });

  it("finds a hash that does not belong to what it stands beside", async () => {
    const { scene, found } = await dialogue();
    const entries = copyOf(found.transcript);
    entryIn(entries, 1).hash = "0".repeat(64);
    await assert.rejects(
      replayModel1(scene.snapshot, entries),
      /Exchange 1 of the transcript has not the hash/,
    );
  });

  it("decides otherwise where the decision was changed, so that the run differs", async () => {
    const { scene, found } = await dialogue();
    const entries = JSON.parse(
      JSON.stringify(found.transcript).replaceAll("pause", "end"),
    ) as TranscriptEntry[];
    const again = await replayModel1(scene.snapshot, rehashed(entries)).catch((cause: unknown) => cause);
    assert.notDeepEqual(again, found.decision);
  });

  it("is of this snapshot alone", async () => {
    const { scene, found } = await dialogue();
    const snapshot = { ...scene.snapshot, takenAt: scene.snapshot.takenAt + 1 };
    await assert.rejects(
      replayModel1(snapshot, found.transcript),
      /Exchange 0 .* has another snapshot than the run/,
    );
  });
});
