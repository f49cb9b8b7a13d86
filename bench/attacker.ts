/** The process of `neighbours.ts` that attacks: apart, so that it does not share the event loop of what is measured. */
import { ATTACKS, type Attacker, answered } from "./attacks.ts";

/** What the parent orders it to do. A message answers each order that is carried out, the one for `stop` with the answers that came. */
export type Order =
  | { kind: "prepare"; attack: string; attacker: Attacker }
  | { kind: "start"; attack: string; attacker: Attacker }
  | { kind: "stop" };

let running: { stop: AbortController; done: Promise<unknown> } | null = null;

async function carryOut(order: Order): Promise<Record<string, number>> {
  if (order.kind === "stop") {
    running?.stop.abort();
    await running?.done;
    running = null;
    const counts = Object.fromEntries(answered);
    answered.clear();
    return counts;
  }
  const { attack: name, attacker } = order;
  const attack = ATTACKS[name];
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  if (order.kind === "prepare") {
    await attack.prepare?.(attacker);
    const counts = Object.fromEntries(answered);
    answered.clear();
    return counts;
  }
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    // A pause that is cut short ends the loop.
    while (!stop.signal.aborted) await attack.turn(attacker, stop.signal).catch(() => undefined);
  };
  running = { stop, done: Promise.all(Array.from({ length: attack.loops }, loop)) };
  return {};
}

process.on("message", (order: Order) => {
  void carryOut(order).then((counts) => process.send?.(counts));
});
