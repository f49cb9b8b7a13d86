/**
 * A small process that starts git for the server. To start a program, Linux first copies the tables of all memory of the process that starts
 * it: at 250 MB that takes 15 ms and more, in which the server would answer no request.
 */
import { type StartedGit, startGit } from "./start.ts";
import type { Order, Report } from "./starter.ts";

const running = new Map<number, StartedGit>();

const send = (report: Report): void => {
  if (process.connected) process.send?.(report);
};

process.on("message", (order: Order) => {
  const { id } = order;
  if ("kill" in order) return running.get(id)?.kill(order.kill);
  const git = startGit(order.start);
  running.set(id, git);
  git.ended
    .then(
      (ended) => send({ id, ended }),
      (error: Error) => send({ id, refused: error.message }),
    )
    .finally(() => running.delete(id));
});

// The server has ended: no caller waits for these any more.
process.once("disconnect", () => {
  for (const git of running.values()) git.kill("aborted");
  process.exit();
});
