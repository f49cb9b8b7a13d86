import { endpointFault } from "@tidings/agent/endpoint-url";
import type {
  KeptSettings,
  NewValues,
  SettingFault,
  SettingSet,
  Settings,
} from "../../../platform/settings/setting.ts";
import { choice, flag, line, typed, whole } from "../../../platform/settings/typed.ts";
import { HOSTS_RULE, hostsText, parseHosts } from "../../access/perimeter/hosts.pure.ts";

const hosts = typed(HOSTS_RULE, (text) => {
  const found = parseHosts(text);
  return found === null ? null : hostsText(found);
});

/** The address of a model: what it is sent is encrypted, or stays on this machine. */
const modelUrl = typed(
  "must be an https:// address, or an http:// address of this machine, without a user, a password and a fragment",
  (text) => (endpointFault(text.trim()) === null ? text.trim().replace(/\/+$/, "") : null),
);

/** What can be sent in a header, and found again in a JSON text in order to be taken out. */
const modelKey = typed(
  "must be 1 to 2000 printable ASCII characters, without blanks, quotes and backslashes",
  (text) => (/^[!#-[\]-~]{1,2000}$/.test(text.trim()) ? text.trim() : null),
);

/** What keeps a project's agents within bounds. */
export const safetySettings = {
  "safety.loopPaused": {
    parse: flag,
    fallback: false,
    label: "Pause the agent",
    meaning: "for the agent: true pauses its loop, so that it takes up no further evaluation",
  },
  "safety.approvalOverride": {
    parse: choice("require_human"),
    fallback: null,
    label: "Approval by people",
    meaning: "for the agent: require_human has people approve for every goal, whatever the goal says",
  },
  "safety.maxRunsPerDay": {
    parse: whole(0, 10_000),
    fallback: 20,
    label: "Runs per day",
    meaning: "for the agent: runs that it may begin per UTC day",
  },
  "safety.maxConcurrentCampaigns": {
    parse: whole(0, 1_000),
    fallback: 1,
    label: "Campaigns at once",
    meaning: "for the agent: campaigns that it may evaluate at once",
  },
  "safety.approvalHours": {
    parse: whole(1, 8_760),
    fallback: 72,
    label: "Hours for a decision",
    meaning:
      "hours within which people may decide what an agent proposes, and within which it is then applied",
  },
  "links.allowedHosts": {
    parse: hosts,
    fallback: null,
    label: "Hosts that the agent may link to",
    meaning:
      "hosts that an agent may link to in campaigns that have not used them, with commas between, *.acme.example for all below one; by default none, so that it keeps to what people wrote or approved",
  },
} as const satisfies SettingSet;

/** What looks after campaigns, and the model that it asks. */
export const agentSettings = {
  "agent.policy": {
    parse: choice("statistical@1", "model@1"),
    fallback: null,
    label: "Policy",
    meaning:
      "what looks after campaigns that have a goal, where a process has the role agent: statistical@1 decides from counts alone, model@1 asks a model; by default nothing does",
  },
  "agent.everyHours": {
    parse: whole(1, 720),
    fallback: 24,
    label: "Hours between two looks",
    meaning: "for the agent: hours from one look at a campaign to the next",
  },
  "agent.modelUrl": {
    parse: modelUrl,
    fallback: null,
    hostIn: (url) => (URL.canParse(url) ? new URL(url).hostname : null),
    label: "Address of the model",
    meaning:
      "for model@1: where a model is asked in the way of OpenAI, such as https://models.example.com/v1",
  },
  "agent.model": {
    parse: line(200),
    fallback: null,
    label: "Name of the model",
    meaning: "for model@1: the name of the model",
  },
  "agent.modelKey": {
    parse: modelKey,
    fallback: null,
    secret: true,
    label: "Key of the model",
    meaning: "for model@1: the key that the model's provider wants; by default none",
  },
  "agent.maxSteps": {
    parse: whole(1, 50),
    fallback: 8,
    label: "Steps per decision",
    meaning: "for model@1: how often the model is asked for one decision",
  },
  "agent.maxTokens": {
    parse: whole(1_000, 10_000_000),
    fallback: 60_000,
    label: "Tokens per decision",
    meaning: "for model@1: tokens that one decision may use, read and written ones together",
  },
  "agent.maxSeconds": {
    parse: whole(1, 3_000),
    fallback: 300,
    label: "Seconds per decision",
    meaning: "for model@1: seconds that one decision may take",
  },
} as const satisfies SettingSet;

export type AgentSettings = Settings<typeof agentSettings>;

const originOf = (url: unknown): string | null =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : null;

/**
 * Refuses an address of a model at another origin than the one for which the key was given, unless the same change brings the key anew or
 * clears it: an owner who never saw the key must not have it sent elsewhere.
 */
export function checkModelKey(values: NewValues, kept: KeptSettings): NewValues | SettingFault {
  const next = originOf(values.get("agent.modelUrl"));
  const isSame = next === null || next === originOf(kept.get("agent.modelUrl")?.value);
  if (isSame || !kept.has("agent.modelKey") || values.has("agent.modelKey")) return values;
  return {
    fault:
      "agent.modelKey must be given again, or cleared, together with an agent.modelUrl at another host: the key that is kept was given for the former one",
  };
}
