import type { Answer } from "@tidings/client";
import { timeOf } from "../../platform/times.ts";
import { words } from "./words.ts";

/** What looks after the campaigns of a project. */
export type AgentAtWork = Answer<"getAgentActivity">["atWork"];

/** What is missing where no agent is at work: a process of the server, or a program of people that uses a key. */
export type MissingAgent = "worker" | "agent" | "program";

/** What is missing where nothing looks after campaigns, although something should; null where all is well, or people want it so. */
export function findMissingAgent({
  by,
  isPaused,
  hasPolicy,
  overdue,
}: AgentAtWork): "agent" | "program" | null {
  if (isPaused || by !== "nobody") return null;
  if (hasPolicy) return "agent";
  // Without a policy only programs of people look after campaigns, and none is missed before something is due.
  return overdue === null ? null : "program";
}

type Applying = { isDone: boolean; text: string; missing: "agent" | "program" | null };

/** Whether an approved change is applied; by what and when, in a sentence; and what is missing where nothing applies it. */
export function applying({ by, isPaused, hasPolicy, programAt }: AgentAtWork): Applying {
  if (isPaused) return { isDone: false, text: words.paused, missing: null };
  if (by === "process") return { isDone: true, text: words.soon, missing: null };
  if (by === "program") {
    const text = words.byProgram(programAt === null ? null : timeOf(programAt));
    return { isDone: true, text, missing: null };
  }
  const missing = hasPolicy ? "agent" : "program";
  return { isDone: false, text: words.willNot[missing], missing };
}

/** The line that starts what is missing. @param origin where this Tidings is */
export const lineFor = (missing: MissingAgent, origin: string): string =>
  ({
    worker: "ROLES=api,worker npm start",
    agent: "ROLES=api,worker,agent npm start",
    program: `AGENT_KEY=pk_agent_... npm run tidings -- agent run --url ${origin}`,
  })[missing];
