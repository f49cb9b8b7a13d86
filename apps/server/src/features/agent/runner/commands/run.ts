import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, type Evaluated, lookAfter, patientFetch } from "@tidings/agent";
import { createClient, TidingsError } from "@tidings/client";
import { InvalidArgumentError, Option } from "commander";
import { commandGroup } from "../../../../domain/command-groups.ts";
import { type AddCommands, printable, say } from "../../../../platform/cli/command.ts";
import { SECOND_MS } from "../../../../platform/clock.ts";
import { ConfigError } from "../../../../platform/config.ts";
import { SETTINGS } from "../../../settings/schema.ts";
import { policyOf } from "../policies.ts";

const LOOK_EVERY_MS = 30 * SECOND_MS;

const HELP = `
Looks after the campaigns of one project from anywhere, as a process with the role agent does. The agent key is read from AGENT_KEY. As
many as you like may run: each evaluation has one lease.

  AGENT_KEY=pk_agent_... tidings agent run --url https://tidings.example.com`;

type Options = { url: string; policy: string; everyHours: number; once?: true };

const url = (typed: string): string => {
  if (!/^https?:$/.test(URL.parse(typed)?.protocol ?? ""))
    throw new InvalidArgumentError("must be an http:// or https:// address.");
  return typed.replace(/\/+$/, "");
};

const hours = (typed: string): number => {
  const read = SETTINGS["agent.everyHours"].parse.safeParse(typed);
  if (!read.success) throw new InvalidArgumentError(`${read.error.issues[0]?.message}.`);
  return read.data;
};

const lineOf = ({ campaignId, ...evaluated }: Evaluated): string =>
  [campaignId, evaluated.result, "reason" in evaluated ? evaluated.reason : ""].join("  ").trim();

const wordsOf = (cause: unknown): string => printable(cause instanceof Error ? cause.message : String(cause));

const isRefused = (cause: unknown, ...statuses: number[]): boolean =>
  cause instanceof TidingsError && statuses.includes(cause.status);

/**
 * One pass. What the server refuses for good, such as a wrong key, ends the program, once the evaluations that are under way have ended; what
 * passes, or is about one campaign, is tried again with the next pass.
 */
async function pass(agent: Agent, once: boolean): Promise<void> {
  const fatal: unknown[] = [];
  try {
    await lookAfter(agent, {
      evaluated: (evaluated) => say(lineOf(evaluated)),
      failed: (campaignId, cause) => {
        console.error(`${campaignId}  broke off: ${wordsOf(cause)}`);
        if (once || isRefused(cause, 401, 403)) fatal.push(cause);
      },
    });
  } catch (cause) {
    // Without its settings and what is due there is no pass at all.
    if (once || isRefused(cause, 400, 401, 403, 404)) fatal.push(cause);
    else console.error(`The server does not answer: ${wordsOf(cause)}. It is tried again.`);
  }
  const [cause] = fatal;
  if (cause !== undefined) throw new ConfigError(`The server refuses: ${wordsOf(cause)}.`, { cause });
}

async function run({ url: baseUrl, policy: name, everyHours, once = undefined }: Options): Promise<void> {
  const key = process.env.AGENT_KEY;
  if (key === undefined || key === "")
    throw new ConfigError("AGENT_KEY is missing: the project's agent key.");
  const policy = await policyOf({ "agent.policy": SETTINGS["agent.policy"].parse.parse(name) });
  if (policy === null) throw new ConfigError(`There is no policy ${printable(name)}.`);
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const each of ["SIGTERM", "SIGINT"] as const) process.once(each, () => stopping.abort());
  const api = createClient(baseUrl, key, patientFetch(signal));
  const agent: Agent = { api, policy, everyHours, clock: Date.now, signal };
  do {
    await pass(agent, once === true);
    if (!once) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  } while (!once && !signal.aborted);
}

/** `tidings agent run`. */
export const runCommands: AddCommands = (program) => {
  commandGroup(program, "agent")
    .command("run")
    .description("look after the campaigns of a project of any Tidings, with its agent key")
    .addOption(
      new Option("--url <url>", "where that Tidings is")
        .env("TIDINGS_URL")
        .argParser(url)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--policy <policy>", "what decides").choices(["statistical@1"]).default("statistical@1"),
    )
    .option("--every-hours <hours>", "from one look at a campaign to the next", hours, 24)
    .option("--once", "end when nothing is due any more")
    .addHelpText("after", HELP)
    .action(run);
};
