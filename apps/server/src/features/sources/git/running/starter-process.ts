/**
 * A small process that starts git for the server. To start a program, Linux first copies the tables of all memory of the process that starts
 * it: at 250 MB that takes 15 ms and more, in which the server would answer no request.
 */
import { setPriority } from "node:os";
import { type StartedGit, startGit } from "./start.ts";
import type { Order, StarterReport } from "./starter.ts";

/** How much git stands back for the server and the database: 19 is the most. What this process starts has it as well. */
const NICENESS = 5;
try {
  setPriority(NICENESS);
} catch {
  // The system does not let it: it works all the same.
}

const running = new Map<number, StartedGit>();

const send = (report: StarterReport): void => {
  if (process.connected) process.send?.(report);
};

process.on("message", (order: Order) => {
  const { id } = order;
  if ("kill" in order) return running.get(id)?.kill(order.kill);
  try {
    const git = startGit(order.start);
    running.set(id, git);
    git.ended
      .then(
        (ended) => send({ id, ended }),
        (error: Error) => send({ id, refused: error.message }),
      )
      .finally(() => running.delete(id));
  } catch (error) {
    // What is too long for an argument, say, is refused before anything is started.
    send({ id, refused: (error as Error).message });
  }
});

/** Ends with all that was started: no caller waits for it any more. */
function end(code: number): void {
  for (const git of running.values()) git.kill("aborted");
  process.exit(code);
}
process.once("disconnect", () => end(0));
process.once("uncaughtException", () => end(1));
