import type { Answer, Input } from "@tidings/client";
import type { Activation } from "../../ui/activation/rules.ts";
import { words } from "./words.ts";

export type Source = Answer<"listSources">["sources"][number];
export type Mapping = Source["mappings"][number];
export type Deployment = Answer<"listDeployments">["deployments"][number];
export type Announcement = Answer<"listAnnouncements">["announcements"][number];
export type SourceSetup = Answer<"getSource">;
export type SourceLaunchPolicy = Answer<"getLaunchPolicy">;

const SHORT = 10;
export const shortSha = (sha: string): string => sha.slice(0, SHORT);

/** Why a repository cannot be read, in a sentence; a word of a later server as it is. */
export const describeSourceReason = (reason: string): string => words.reasons[reason] ?? reason;

/** What the last look at a repository found, in a sentence. */
export function foundBy({ state, reason, branch, tipSha }: Source): string {
  if (state === "unavailable" && reason !== null) return describeSourceReason(reason);
  return tipSha === null ? words.states[state] : words.tip(branch, shortSha(tipSha));
}

/** How a campaign came to be launched, after the word for it. */
export function launchedHow({ launch }: Pick<Activation, "launch">): string | null {
  if (launch === null) return null;
  if (launch.override !== undefined) return words.overriddenBy(launch.override.by, launch.override.reason);
  return launch.mode === "automatic" ? words.byItself : words.byHand;
}

/** What is typed into the form of a repository. Empty texts of a credential leave it as it is. */
export type TypedRepository = {
  id: string;
  kind: Source["kind"];
  url: string;
  branch: string;
  credential: string;
  knownHosts: string;
  dropsCredential: boolean;
  instructions: string;
  enabled: boolean;
  paused: boolean;
};

const secretsOf = ({ credential, knownHosts, dropsCredential }: TypedRepository) => {
  if (dropsCredential) return { credential: null };
  if (credential.trim() === "") return {};
  return { credential, ...(knownHosts.trim() !== "" && { knownHosts }) };
};

export function connectBody(typed: TypedRepository): Input<"connectSource">["body"] {
  const { id, kind, url, branch, instructions } = typed;
  const { credential, ...hosts } = secretsOf(typed);
  return {
    id: id.trim(),
    kind,
    url: url.trim(),
    branch: branch.trim(),
    instructions,
    ...(typeof credential === "string" && { credential, ...hosts }),
  };
}

/** Only what differs from before; null where nothing does. */
export function changeBody(
  typed: TypedRepository,
  before: TypedRepository,
): Input<"changeSource">["body"] | null {
  const fields = ["kind", "url", "branch", "instructions", "enabled", "paused"] as const;
  const changed = Object.fromEntries(
    fields.filter((field) => typed[field] !== before[field]).map((field) => [field, typed[field]]),
  );
  const body = { ...changed, ...secretsOf(typed) };
  return Object.keys(body).length === 0 ? null : body;
}
