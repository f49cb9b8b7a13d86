import { setTimeout as sleep } from "node:timers/promises";

/** The project that an attack comes from. */
export type Attacker = {
  port: number;
  publishableKey: string;
  agentKey: string;
  /** A mail that the project sent names itself by this, `token@host`. */
  messageId: string;
};

export type Attack = {
  /** What is done, in a few words. */
  title: string;
  /** A load that takes as much of the machine without attacking anything: no server can give more than is left beside it. */
  control?: "busy" | "ordinary";
  /** Done once, before anything is measured. */
  prepare?: (attacker: Attacker) => Promise<void>;
  /** How many loops run side by side. */
  loops: number;
  /** One round of a loop: requests, and a pause that keeps within the default budgets. */
  turn: (attacker: Attacker, signal: AbortSignal) => Promise<void>;
};

/** Answers of an attack by status; `0` is none. */
export const answered = new Map<number, number>();

type RequestOptions = { method?: string; key?: string; body?: unknown; text?: string; signal?: AbortSignal };

async function ask(
  { port }: Attacker,
  path: string,
  { method, key, body, text, signal }: RequestOptions,
): Promise<void> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = text === undefined ? "application/json" : "message/rfc822";
  let status = 0;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: method ?? (sent === undefined ? "GET" : "POST"),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { "content-type": type }),
      },
      ...(sent === undefined ? {} : { body: sent }),
      signal: signal ?? null,
    });
    status = response.status;
    await response.arrayBuffer();
  } catch {
    // Cut off at the end of a round, or refused: there was no answer.
  }
  answered.set(status, (answered.get(status) ?? 0) + 1);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Asks of every user whether one of many words is in their traits: nothing of it can be looked up. */
const slowExpression = {
  version: 1,
  root: {
    kind: "any",
    children: numbers(4).map((group) => ({
      kind: "any",
      children: numbers(14).map((n) => ({
        kind: "field",
        field: { kind: "trait", key: "email" },
        op: "contains",
        value: `nobody ${group} ${n}`,
      })),
    })),
  },
};

let wide = 0;
/** Events with 400 properties each, of names that no event had before: 0.9 MB. */
const wideEvents = () => ({
  events: numbers(200).map((n) => ({
    userId: `wide-${n}`,
    event: `wide_${wide++}`,
    props: Object.fromEntries(numbers(400).map((key) => [`key_${key}`, 1])),
  })),
});

/** About 3.5 KB of traits under keys of their own. */
const newTraits = (round: number) =>
  Object.fromEntries(numbers(100).map((n) => [`trait_${round}_${n}`, "some text of no use"]));

/** Attacks that are none: what any busy process on the machine does to the server, and what as many ordinary requests do. */
export const CONTROLS: readonly string[] = ["busy", "ordinary"];

const identifyOften = (userId: string): Attack["turn"] =>
  async function turn(attacker, signal) {
    const body = { userId, traits: { seen: Math.random() } };
    await ask(attacker, "/api/v1/identify", { key: attacker.publishableKey, body, signal });
    await sleep(10, undefined, { signal });
  };

export const ATTACKS: Readonly<Record<string, Attack>> = {
  busy: {
    title: "no request at all, only a process that counts",
    loops: 1,
    async turn(_attacker, signal) {
      const until = performance.now() + 100;
      while (performance.now() < until);
      await sleep(0, undefined, { signal });
    },
  },
  ordinary: {
    title: "a user with a single trait, identified all the time",
    loops: 4,
    turn: identifyOften("small"),
  },
  audiences: {
    title: "ten expensive audience checks at a time",
    control: "busy",
    loops: 10,
    async turn(attacker, signal) {
      const body = { expression: slowExpression };
      await ask(attacker, "/api/v1/audiences/check", { key: attacker.agentKey, body, signal });
      await sleep(500, undefined, { signal });
    },
  },
  events: {
    title: "wide events, and reads of what they came with",
    loops: 4,
    async turn(attacker, signal) {
      const path = "/api/v1/track/batch";
      await ask(attacker, path, { key: attacker.publishableKey, body: wideEvents(), signal });
      await Promise.all(
        numbers(3).map(() =>
          ask(attacker, "/api/v1/audiences/capabilities", { key: attacker.agentKey, signal }),
        ),
      );
      await sleep(1_000, undefined, { signal });
    },
  },
  traits: {
    title: "a user whose traits grew, identified all the time",
    control: "ordinary",
    async prepare(attacker) {
      for (const round of numbers(400)) {
        const body = { userId: "grown", traits: newTraits(round) };
        await ask(attacker, "/api/v1/identify", { key: attacker.publishableKey, body });
      }
    },
    loops: 4,
    turn: identifyOften("grown"),
  },
  names: {
    title: "a user with very many event names, 30 feeds at once",
    async prepare(attacker) {
      for (const round of numbers(120)) {
        const events = numbers(500).map((n) => ({ userId: "named", event: `name_${round * 500 + n}` }));
        await ask(attacker, "/api/v1/track/batch", { key: attacker.publishableKey, body: { events } });
      }
    },
    loops: 30,
    async turn(attacker, signal) {
      await ask(attacker, "/api/v1/messages?userId=named", { key: attacker.publishableKey, signal });
      await sleep(100, undefined, { signal });
    },
  },
  mail: {
    title: "returned mail of 1 MB, one after the other",
    loops: 1,
    async turn(attacker, signal) {
      const head = `From: a@example.com\r\nIn-Reply-To: <${attacker.messageId}>\r\nCc: `;
      const text = `${head}${"g:".repeat(499_000)}\r\n\r\nHello\r\n`;
      await ask(attacker, "/hooks/email/inbound", { text, signal });
      await sleep(200, undefined, { signal });
    },
  },
};
