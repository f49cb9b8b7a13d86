import { setTimeout as sleep } from "node:timers/promises";
import {
  type Agent,
  type Drafter,
  draftDue,
  type Evaluated,
  lookAfter,
  type Policy,
  patientFetch,
  type Worked,
  type Writer,
} from "@tidings/agent";
import { createClient, TidingsError } from "@tidings/client";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type AddCommands, printable, say } from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { ConfigError } from "../../../../platform/config.ts";
import { SettingError, typedText } from "../../../../platform/settings/setting.ts";
import { kebabCase } from "../../../../platform/text/kebab-case.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { agentSettings } from "../../evaluations/settings.pure.ts";
import { drafterOf, type PolicySettings, policyOf } from "../policies.ts";

const LOOK_EVERY_MS = 30 * SECOND_MS;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

const HELP = `
Looks after the campaigns of one project from anywhere, as a process with the role agent does, and drafts campaigns from what its repositories
bring, where that Tidings is a managed deployment. The agent key is read from AGENT_KEY, the
key of a model's provider from AGENT_MODEL_KEY. As many as you like may run: each evaluation has one lease.

  AGENT_KEY=pk_agent_... tidings agent run --url https://tidings.example.com`;

/** What can be sent in a header, and be found again in JSON. */
const KEY = /^[!#-[\]-~]+$/;

/** A key from the environment; empty where there is none. @throws ConfigError, without the key */
function keyFrom(variable: "AGENT_KEY" | "AGENT_MODEL_KEY"): string {
  const key = process.env[variable]?.trim() ?? "";
  if (key === "" || KEY.test(key)) return key;
  throw new ConfigError(`${variable} must be printable ASCII, without blanks, quotes and backslashes.`);
}

const url = (typed: string): string => {
  if (!/^https?:$/.test(URL.parse(typed)?.protocol ?? ""))
    throw new InvalidArgumentError("must be an http:// or https:// address.");
  return typed.replace(/\/+$/, "");
};

/** Options that are settings of a project where the agent runs beside it: one rule, default and meaning for both. */
const FROM_SETTINGS = {
  policy: "agent.policy",
  everyHours: "agent.everyHours",
  modelUrl: "agent.modelUrl",
  model: "agent.model",
  maxSteps: "agent.maxSteps",
  maxTokens: "agent.maxTokens",
  maxSeconds: "agent.maxSeconds",
} as const satisfies Record<string, keyof typeof agentSettings>;

type FromSettings = {
  [Name in keyof typeof FROM_SETTINGS]:
    | (typeof agentSettings)[(typeof FROM_SETTINGS)[Name]]["parse"]["_output"]
    | null;
};

type Options = FromSettings & { url: string; once?: true };

function addOptionsOfSettings(command: Command): Command {
  for (const [name, key] of Object.entries(FROM_SETTINGS)) {
    const { parse, fallback, meaning } = agentSettings[key];
    const flag = kebabCase(name);
    const option = new Option(`--${flag} <value>`, meaning).argParser((typed) => {
      const read = parse.safeParse(typed);
      if (!read.success) throw new InvalidArgumentError(`${read.error.issues[0]?.message}.`);
      return read.data;
    });
    const usual = key === "agent.policy" ? "statistical@1" : fallback;
    command.addOption(usual === null ? option : option.default(usual, typedText(usual)));
  }
  return command;
}

async function choosePolicy(options: Options): Promise<{ policy: Policy; drafter: Drafter }> {
  const { policy, modelUrl = null, model = null, maxSteps, maxTokens, maxSeconds } = options;
  const key = keyFrom("AGENT_MODEL_KEY");
  const settings = {
    "agent.policy": policy,
    "agent.modelUrl": modelUrl,
    "agent.model": model,
    "agent.maxSteps": maxSteps,
    "agent.maxTokens": maxTokens,
    "agent.maxSeconds": maxSeconds,
    "agent.modelKey": key === "" ? null : key,
    // The options have a default wherever the settings have one.
  } as PolicySettings;
  try {
    const [chosen, drafter] = [await policyOf(settings), await drafterOf(settings)];
    if (chosen !== null && drafter !== null) return { policy: chosen, drafter };
  } catch (cause) {
    if (cause instanceof SettingError) throw new ConfigError(`${cause.message}.`, { cause });
    throw cause;
  }
  throw new ConfigError("There is no policy.");
}

const lineOf = ({ campaignId, ...evaluated }: Evaluated): string =>
  [campaignId, evaluated.result, "reason" in evaluated ? evaluated.reason : ""].join("  ").trim();

const lineOfWork = ({ refId, result, ...more }: Worked): string =>
  [refId, result, "reason" in more ? more.reason : "campaigns" in more ? more.campaigns.join(" ") : ""]
    .join("  ")
    .trim();

const wordsOf = (cause: unknown): string => printable(cause instanceof Error ? cause.message : String(cause));

/** One pass; answers whether all went well. A refusal of the key ends the program; a fault that passes is tried again. */
async function pass(agent: Agent, writer: Writer): Promise<boolean> {
  let isWell = true;
  try {
    await lookAfter(agent, {
      evaluated: (evaluated) => say(lineOf(evaluated)),
      failed: (campaignId, cause) => {
        isWell = false;
        console.error(`${campaignId}  broke off: ${wordsOf(cause)}`);
      },
    });
    await draftDue(writer, (worked) => say(printable(lineOfWork(worked))));
    return isWell;
  } catch (cause) {
    if (cause instanceof TidingsError && [401, 403, 404].includes(cause.status))
      throw new ConfigError(`The server refuses: ${wordsOf(cause)}.`, { cause });
    console.error(`The server cannot be used now: ${wordsOf(cause)}.`);
    return false;
  }
}

async function run(options: Options): Promise<void> {
  const { url: baseUrl, once = false, everyHours } = options;
  const key = keyFrom("AGENT_KEY");
  if (key === "") throw new ConfigError("AGENT_KEY is missing: the project's agent key.");
  const { policy, drafter } = await choosePolicy(options);
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = (): void => stopping.abort();
  for (const each of SIGNALS) process.on(each, stop);
  try {
    const api = createClient(baseUrl, key, patientFetch(signal));
    const agent: Agent = { api, policy, everyHours: Number(everyHours), clock: Date.now, signal };
    const writer: Writer = { api, drafter, clock: Date.now, signal, resting: new Map() };
    do {
      const isWell = await pass(agent, writer);
      if (once && !isWell) process.exitCode = 1;
      if (!once) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    } while (!once && !signal.aborted);
  } finally {
    for (const each of SIGNALS) process.off(each, stop);
  }
}

/** `tidings agent run`. */
export const runCommands: AddCommands = (program) => {
  const command = commandGroup(program, "agent")
    .command("run")
    .description("look after the campaigns of a project of any Tidings, with its agent key")
    .addOption(
      new Option("--url <url>", "where that Tidings is")
        .env("TIDINGS_URL")
        .argParser(url)
        .makeOptionMandatory(),
    )
    .option("--once", "end when nothing is due any more, or the project's bounds are reached");
  addOptionsOfSettings(command).addHelpText("after", HELP).action(run);
};
