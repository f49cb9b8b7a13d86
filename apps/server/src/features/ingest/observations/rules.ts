import type { Command } from "./schema.ts";

/** A command as it was reported. `digest` is the SHA-256 of its canonical JSON. */
export type ReportedCommand = { id: string; sequence: number; digest: string };

/**
 * Whether commands continue the sequence of their binding. Answers how many of them, from the first on, are repeats, or the fault.
 * @param last sequence of the last stored command; 0 before the first
 * @param kept the stored commands that have a sequence or an id of the given ones
 */
export function judgeOrder(
  commands: readonly ReportedCommand[],
  last: number,
  kept: readonly ReportedCommand[],
): { repeats: number } | { fault: string } {
  const first = commands[0]?.sequence ?? 1;
  if (first > last + 1)
    return { fault: `commands[0].sequence must be ${last + 1}: what comes before it is missing` };
  const bySequence = new Map(kept.map((each) => [each.sequence, each]));
  const usedIds = new Set(kept.map(({ id }) => id));
  let repeats = 0;
  for (const [index, { id, sequence, digest }] of commands.entries()) {
    if (sequence !== first + index)
      return { fault: `commands[${index}].sequence must be ${first + index}, one more than that before it` };
    if (sequence > last) {
      if (usedIds.has(id)) return { fault: `commands[${index}].id was used for another command` };
      usedIds.add(id);
      continue;
    }
    const known = bySequence.get(sequence);
    if (known?.id !== id || known.digest !== digest)
      return { fault: `commands[${index}] is not what was reported as ${sequence} before` };
    repeats++;
  }
  return { repeats };
}

type Kinded = { command: Command };

/**
 * Splits commands into pieces that are applied one after the other. Events and commands about pushes are in separate pieces, because
 * an event converts only what was reported before it; and no piece has the same event twice.
 */
export function piecesOf<Each extends Kinded>(commands: readonly Each[]): Each[][] {
  const pieces: Each[][] = [];
  let eventIds = new Set<string>();
  for (const each of commands) {
    const { command } = each;
    const piece = pieces.at(-1);
    const isAlike = (piece?.[0]?.command.kind === "event") === (command.kind === "event");
    const isTwice = command.kind === "event" && eventIds.has(command.eventId);
    if (piece === undefined || !isAlike || isTwice) {
      pieces.push([each]);
      eventIds = new Set();
    } else piece.push(each);
    if (command.kind === "event") eventIds.add(command.eventId);
  }
  return pieces;
}
