import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { type Person, type PersonRole, reaches } from "../../platform/http/contract/person.ts";
import { readSome } from "../settings/public.ts";
import { peopleSettings } from "./settings.pure.ts";

type Where = { db: Db; projectId: string };

/** What a person does that reaches users at once, as a refusal says it, with what a person of a lower role can do instead. */
const WAYS = {
  launch: ["Launching", "ask an approver to launch it"],
  change: [
    "Changing what a running campaign says, or whom it reaches,",
    "pause it first, or ask an approver",
  ],
  resume: ["Letting an expired campaign go on", "ask an approver to extend deliverUntil"],
  allowed: [
    "Changing a draft that may launch by itself",
    "ask an approver to change it, or to take back that it may",
  ],
  mode: ["Letting an allowed draft launch by itself", "ask an approver to choose how it launches"],
  deployment: [
    "Reporting a deployment, for which campaigns launch,",
    "have your CI report it with a key, or ask an approver",
  ],
  loosen: ["Loosening what a goal allows", "make its limits stricter, or ask an approver"],
  test: ["Sending a test to somebody else", "send it to your own address, or ask an approver"],
  device: ["Sending a test to a device", "ask an approver"],
} as const;
export type ReachesUsers = keyof typeof WAYS;

/** A person may not do what reaches users at once: the setting people.launch asks for a higher role. */
export class LaunchRoleRefusal extends ApiError {
  constructor(way: ReachesUsers, needed: PersonRole, role: PersonRole) {
    const [what, instead] = WAYS[way];
    super("forbidden", `${what} takes the role ${needed} in this project, and yours is ${role}: ${instead}.`);
  }
}

/** The role of the person who asks in the dashboard; null where a program does, or the operator at the command line. */
export const roleOf = ({ person }: { keyKind: string; person?: Person | null }): PersonRole | null =>
  person == null || person.id === null ? null : person.role;

/** From which role people may do what reaches users. */
async function readLaunchRole({ db, projectId }: Where): Promise<PersonRole> {
  return (await readSome(db, projectId, peopleSettings, ["people.launch"]))["people.launch"];
}

/** Whether a person's role is below the one that `people.launch` asks for. Programs, which have none, are not asked. */
export async function isBelowLaunchRole(where: Where, role: PersonRole | null): Promise<boolean> {
  return role !== null && !reaches(role, await readLaunchRole(where));
}

/** Refuses what reaches users at once to people whose role is too low. @throws LaunchRoleRefusal */
export async function assertMayReachUsers(
  where: Where,
  role: PersonRole | null,
  way: ReachesUsers,
): Promise<void> {
  if (role === null) return;
  const needed = await readLaunchRole(where);
  if (!reaches(role, needed)) throw new LaunchRoleRefusal(way, needed, role);
}
