const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What has been due for so long was not overlooked for a moment: no agent takes it up. */
export const OVERDUE_MS = 10 * MINUTE_MS;

/** What is known of those who could look after campaigns. Instants in epoch milliseconds. */
export type Known = {
  /** What Tidings' own agent decides by; null: nothing, so that it does nothing. */
  policy: string | null;
  everyHours: number;
  /** Whether a process has the role agent. */
  hasProcess: boolean;
  /** When a program of people last took up an evaluation. */
  programAt: number | null;
  /** How many campaigns some agent is evaluating now. */
  evaluating: number;
  /** Since when something could have been taken up; null where nothing is due. */
  dueSince: number | null;
  now: number;
};

/**
 * What looks after the campaigns of a project. A process of Tidings' own says by its heartbeat that it is there. A program of people that
 * uses a key is known by what it did last: it counts as gone once it leaves something lying, or does not come back in time.
 */
export function atWork({ policy, everyHours, now, ...known }: Known): "process" | "program" | "nobody" {
  if (policy !== null && known.hasProcess) return "process";
  if (known.evaluating > 0) return "program";
  const { programAt, dueSince } = known;
  if (programAt === null) return "nobody";
  const idleSince = dueSince === null ? now : Math.max(dueSince, programAt);
  if (now - idleSince >= OVERDUE_MS) return "nobody";
  return policy !== null && now - programAt > 2 * everyHours * HOUR_MS ? "nobody" : "program";
}
