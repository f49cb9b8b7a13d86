import type { Answer } from "@tidings/client";
import { userRef, uuidOf } from "../src/domain/ids.ts";
import { isHeldOut } from "../src/features/deliveries/public.ts";
import type { TestProject } from "./harness.ts";

export type Explanation = Answer<"explainCampaign">;
type AnyGate = Explanation["gates"][number];
export type GateNamed<Name extends AnyGate["gate"]> = Extract<AnyGate, { gate: Name }>;

/** Why a user gets a campaign, or does not. */
export const explain = (
  { api }: TestProject,
  id: string,
  userId: string,
  path?: string,
): Promise<Explanation> =>
  api.explainCampaign({ path: { id }, body: { userId, ...(path === undefined ? {} : { path }) } });

/** The outcome and the gate that is in the way, as `blocked by page`. */
export const shortly = ({ outcome, blockedBy }: Explanation): string =>
  blockedBy === null ? outcome : `${outcome} by ${blockedBy}`;

/** The gate of a name. */
export function gateOf<Name extends AnyGate["gate"]>(
  { gates }: Pick<Explanation, "gates">,
  name: Name,
): GateNamed<Name> {
  const found = gates.find((each): each is GateNamed<Name> => each.gate === name);
  if (found === undefined) throw new Error(`There is no gate ${name}.`);
  return found;
}

/** Whether a user is held out of a goal, by the plain rule. */
export const heldOutOf = (
  { projectId }: TestProject,
  goalId: string,
  holdoutPercent: number,
  userId: string,
): boolean =>
  isHeldOut({ goalId: uuidOf("goal", goalId), holdoutPercent }, userRef(projectId, userId).userKey);
