import { type Policy, statistical1 } from "@tidings/agent";
import type { Settings } from "../../settings/schema.ts";

/** What a policy is made from. */
type PolicySettings = Pick<Settings, "agent.policy">;

/** The policy that a project has chosen; null where it has chosen none. What a policy needs is loaded when it is first used. */
export async function policyOf({ "agent.policy": name }: PolicySettings): Promise<Policy | null> {
  return name === null ? null : statistical1;
}
