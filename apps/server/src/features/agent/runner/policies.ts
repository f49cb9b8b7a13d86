import { type Drafter, type Policy, plain2, statistical1 } from "@tidings/agent";
import { SettingError } from "../../../platform/settings/setting.ts";
import type { AgentSettings } from "../evaluations/settings.pure.ts";

/** Policies that may launch drafts. */
export const LAUNCHING = ["model@1"];

/** What a policy is made from. */
export type PolicySettings = Pick<
  AgentSettings,
  | "agent.policy"
  | "agent.modelUrl"
  | "agent.model"
  | "agent.modelKey"
  | "agent.maxSteps"
  | "agent.maxTokens"
  | "agent.maxSeconds"
>;

/** What a policy asks its model with. @throws SettingError where a setting is missing */
function modelOptionsOf(settings: PolicySettings, send: typeof fetch | undefined) {
  const { "agent.modelUrl": url, "agent.model": model, "agent.modelKey": key } = settings;
  if (url === null || model === null)
    throw new SettingError("agent.modelUrl and agent.model are needed for the policy model@1");
  const {
    "agent.maxSteps": maxSteps,
    "agent.maxTokens": maxTokens,
    "agent.maxSeconds": maxSeconds,
  } = settings;
  return { url, model, key, maxSteps, maxTokens, maxSeconds, send };
}

/**
 * The policy that a project has chosen; null where it has chosen none. What asks a model is loaded where it is first used.
 * @param send how a model is asked, where that is not fetch
 * @throws SettingError where the policy lacks a setting
 */
export async function policyOf(settings: PolicySettings, send?: typeof fetch): Promise<Policy | null> {
  switch (settings["agent.policy"]) {
    case null:
      return null;
    case "statistical@1":
      return statistical1;
    case "model@1": {
      const options = modelOptionsOf(settings, send);
      return (await import("@tidings/agent/model-1")).model1(options);
    }
  }
}

/** What drafts campaigns from code beside a policy: with a model that model, else the subject lines of commits. */
export async function drafterOf(settings: PolicySettings, send?: typeof fetch): Promise<Drafter | null> {
  switch (settings["agent.policy"]) {
    case null:
      return null;
    case "statistical@1":
      return plain2;
    case "model@1": {
      const options = modelOptionsOf(settings, send);
      return (await import("@tidings/agent/writer-1")).writer1(options);
    }
  }
}
