import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Client, Input } from "@tidings/client";

const DAY_MS = 86_400_000;
/** Bytes of every part of a file but the last, as the API wants them. */
const PART_BYTES = 4 * 1_024 * 1_024;
const EVENT_NAMES = 20;
const HISTORY_DAYS = 400;
/** Lines of one day differ by seconds. */
const SPREAD = 7_919;
const PLANS = ["free", "starter", "pro", "team", "enterprise"];

export type Import = Answer<"getImport">["import"];

/** A file to bring in: `lines` without the line of names; its text, line by line, is the same each time. */
export type BenchFile = {
  kind: "users" | "events";
  lines: number;
  text(): Iterable<string>;
};

/** A file of users with six columns. */
export const usersFile = (lines: number, now: number): BenchFile => ({
  kind: "users",
  lines,
  *text() {
    yield "id,email,first_name,plan,seats,created_at\n";
    for (let n = 0; n < lines; n++) {
      const since = new Date(now - (n % HISTORY_DAYS) * DAY_MS - (n % SPREAD) * 1_000).toISOString();
      yield `user-${n},user-${n}@example.com,Name${n % 1_000},${PLANS[n % PLANS.length]},${n % 50},${since}\n`;
    }
  },
});

/** A whole number below another one that looks as if it were drawn: the same for the same `n`. */
const drawn = (n: number, below: number): number => (Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0) % below;

/** A file of events of twenty names, with ids and two properties, in the order in which they happened. */
export const eventsFile = (lines: number, users: number, now: number): BenchFile => ({
  kind: "events",
  lines,
  *text() {
    yield "id,event,timestamp,message_id,amount,currency\n";
    for (let n = 0; n < lines; n++) {
      const at = new Date(now - (1 - n / lines) * HISTORY_DAYS * DAY_MS).toISOString();
      const name = Math.floor((drawn(n * 3 + 1, 1_000) / 1_000) ** 2 * EVENT_NAMES);
      yield `user-${drawn(n, users)},event_${name},${at},e-${n},${n % 100},EUR\n`;
    }
  },
});

/** The parts of a file, one after the other. */
function* partsOf(file: BenchFile): Generator<Buffer> {
  let texts: string[] = [];
  let length = 0;
  let left = Buffer.alloc(0);
  // All of it is ASCII, so that characters are bytes.
  for (const line of file.text()) {
    texts.push(line);
    length += line.length;
    if (length < PART_BYTES) continue;
    left = Buffer.concat([left, Buffer.from(texts.join(""))]);
    [texts, length] = [[], 0];
    for (; left.length >= PART_BYTES; left = left.subarray(PART_BYTES)) yield left.subarray(0, PART_BYTES);
  }
  yield Buffer.concat([left, Buffer.from(texts.join(""))]);
}

/** Uploads a file as a client does, with its size and digest. @returns the id of its import */
export async function uploadFile(api: Client, file: BenchFile): Promise<string> {
  const digest = createHash("sha256");
  let bytes = 0;
  for (const part of partsOf(file)) {
    digest.update(part);
    bytes += part.length;
  }
  const body = { kind: file.kind, name: `${file.kind}.csv`, bytes, sha256: digest.digest("hex") };
  const { import: begun } = await api.createImport({ body });
  let n = 0;
  for (const part of partsOf(file))
    await api.uploadImportPart({ path: { id: begun.id, n: ++n }, file: new Blob([new Uint8Array(part)]) });
  return begun.id;
}

type Start = NonNullable<Input<"startImport">["body"]>;

export const startFile = (api: Client, id: string): Promise<unknown> => {
  const body: Start = { whoLeft: "nobody" };
  return api.startImport({ path: { id }, body });
};

/** Waits until an import is done. `looked` is called at each look. @returns what came of it */
export async function untilDone(api: Client, id: string, looked: () => void): Promise<Import> {
  for (;;) {
    const { import: now } = await api.getImport({ path: { id } });
    looked();
    if (now.state === "done") return now;
    if (now.state !== "running") throw new Error(`The import is ${now.state}: ${now.fault}`);
    await sleep(200);
  }
}
