import { type ChildProcess, fork } from "node:child_process";
import type { GitEnded, KilledAs } from "./ended.pure.ts";
import type { GitStart, StartedGit } from "./start.ts";

/** What the server orders from the process that starts git, for a call by its number. */
export type Order = { id: number; start: GitStart } | { id: number; kill: KilledAs };

/** What that process reports: how the call ended, or why the system refused to start it. */
export type StarterReport = { id: number; ended: GitEnded } | { id: number; refused: string };

/** The process ends when no git was ordered for so long; the next order starts another. */
const IDLE_MS = 60_000;

type Waiting = { resolve(ended: GitEnded): void; reject(error: Error): void };
type Starter = { child: ChildProcess; waiting: Map<number, Waiting> };

let starter: Starter | null = null;
let idle: NodeJS.Timeout | undefined;
let calls = 0;

function openStarter(): Starter {
  const child = fork(new URL("starter-process.ts", import.meta.url), {
    // Each order brings the environment of its git: the one of the server contains secrets.
    env: {},
    execArgv: ["--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Ctrl-C is for the server, which ends what it has begun.
    detached: true,
  });
  const waiting = new Map<number, Waiting>();
  const opened: Starter = { child, waiting };
  child.on("message", (report: StarterReport) => {
    const { id } = report;
    if ("ended" in report) waiting.get(id)?.resolve(report.ended);
    else waiting.get(id)?.reject(new Error(report.refused));
  });
  const end = (error = new Error("The process that starts git has ended.")): void => {
    if (starter === opened) starter = null;
    for (const each of waiting.values()) each.reject(error);
  };
  // A process that could not be started says so by an error alone, and may say more than one.
  child.on("error", end);
  child.once("disconnect", () => end());
  return opened;
}

/** Keeps this process alive while a call waits, and not longer. */
function stayFor({ child, waiting }: Starter): void {
  const isNeeded = waiting.size > 0;
  for (const each of [child, child.channel]) {
    if (isNeeded) each?.ref();
    else each?.unref();
  }
}

function endWhenIdle(used: Starter): void {
  clearTimeout(idle);
  if (used.waiting.size > 0) return;
  idle = setTimeout(() => {
    if (used.waiting.size > 0) return;
    if (starter === used) starter = null;
    if (used.child.connected) used.child.disconnect();
  }, IDLE_MS).unref();
}

/** Has git started by a small process, so that the server answers requests meanwhile. See `startGit`. */
export function orderGit(start: GitStart): StartedGit {
  starter ??= openStarter();
  const used = starter;
  const { child, waiting } = used;
  const id = calls++;
  const { promise, resolve, reject } = Promise.withResolvers<GitEnded>();
  // The caller may learn of a failure by another way first.
  promise.catch(() => undefined);
  const send = (order: Order): void => {
    if (child.connected)
      child.send(order, (error) => {
        if (error !== null) reject(error);
      });
    else reject(new Error("The process that starts git could not be started."));
  };
  waiting.set(id, { resolve, reject });
  stayFor(used);
  send({ id, start });
  return {
    ended: promise.finally(() => {
      waiting.delete(id);
      stayFor(used);
      endWhenIdle(used);
    }),
    kill(as) {
      if (waiting.has(id)) send({ id, kill: as });
    },
  };
}
