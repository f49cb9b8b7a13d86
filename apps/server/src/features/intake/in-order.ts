import type { CallAct } from "./calls/read-call.pure.ts";

/** What calls about a user or a visitor wait for: the last one that was done alone, and those since. */
type Line = { alone: Promise<unknown> | null; since: Promise<unknown>[] };

/** Whom a call names. A visitor may have the id of a user. */
const namesOf = ({ userId, anonymousId }: Pick<CallAct, "userId" | "anonymousId">): string[] => [
  ...(userId === undefined ? [] : [`user ${userId}`]),
  ...(anonymousId === undefined ? [] : [`visitor ${anonymousId}`]),
];

/**
 * Keeps the order of the calls of visitors and of those whom they become: what changes a visitor, or makes one a user, is done after all that
 * was said of both before, and before all that follows. Everything else is begun at once, and has an order of its own where it is written.
 */
export function inOrder(): <T>(call: CallAct, act: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, Line>();
  return (call, act) => {
    const isAlone = call.kind !== "event" && call.anonymousId !== undefined;
    const own = namesOf(call).map((name): Line => {
      const line = lines.get(name) ?? { alone: null, since: [] };
      lines.set(name, line);
      return line;
    });
    const before = own.flatMap(({ alone, since }) => [
      ...(alone === null ? [] : [alone]),
      ...(isAlone ? since : []),
    ]);
    const done = before.length === 0 ? act() : Promise.all(before).then(act);
    for (const line of own) {
      if (isAlone) Object.assign(line, { alone: done, since: [] });
      else line.since.push(done);
    }
    return done;
  };
}

/** Does at most so many things at the same time, each after those that it follows. */
export function fewAtOnce(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  const last = Array.from({ length: most }, (): Promise<unknown> => Promise.resolve());
  let next = 0;
  return (act) => {
    const place = next++ % most;
    const done = (last[place] ?? Promise.resolve()).then(act);
    last[place] = done.catch(() => undefined);
    return done;
  };
}
