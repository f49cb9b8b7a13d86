import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { PolicyName } from "./policies.ts";
import type { Order, Report } from "./runner-process.ts";

const PROGRAM = new URL("./runner-process.ts", import.meta.url);

/** A runner in a process of its own. */
export type Runner = {
  /** Looks after everything that is due at an instant of the test's clock; null where the process was killed meanwhile. */
  look(now: number): Promise<Report | null>;
  /** Sends a signal to the process, and waits until a killed one is gone. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  end(): Promise<void>;
};

/** Whom a runner works for: the address it asks, the agent key of a project, what decides, and hours from one look to the next. */
export type Employer = { url: string; agentKey: string; policy: PolicyName; everyHours?: number };

/** Starts a runner; resolves when it waits for its first order. */
export async function startRunner({ url, agentKey, policy, everyHours = 24 }: Employer): Promise<Runner> {
  const child = fork(PROGRAM, {
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RUNNER_URL: url,
      AGENT_KEY: agentKey,
      RUNNER_POLICY: policy,
      RUNNER_EVERY_HOURS: String(everyHours),
    },
  });
  const gone = once(child, "exit");
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });
  const [ready] = (await Promise.race([once(child, "message"), gone])) as [unknown];
  assert.equal(ready, "ready", "a runner started");
  return {
    async look(now) {
      child.send({ now } satisfies Order);
      const [report] = (await Promise.race([once(child, "message"), gone])) as [unknown];
      return isGone ? null : (report as Report);
    },
    async signal(name) {
      child.kill(name);
      if (name === "SIGKILL") await gone;
    },
    async end() {
      if (isGone) return;
      // A stopped process can be killed, and nothing else.
      child.kill("SIGKILL");
      await gone;
    },
  };
}
