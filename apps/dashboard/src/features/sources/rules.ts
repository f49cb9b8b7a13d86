import type { Answer, Input } from "@tidings/client";
import { words } from "./words.ts";

export type Source = Answer<"listSources">["sources"][number];
export type Mapping = Source["mappings"][number];
export type Deployment = Answer<"listDeployments">["deployments"][number];
export type Announcement = Answer<"listAnnouncements">["announcements"][number];
export type Setup = Answer<"getSource">;
export type Policy = Answer<"getLaunchPolicy">;
type Activation = Announcement["activation"];

const SHORT = 10;
export const shortSha = (sha: string): string => sha.slice(0, SHORT);

/** Why a repository cannot be read, in a sentence; a word of a later server as it is. */
export const reasonOf = (reason: string): string => words.reasons[reason] ?? reason;

/** What the last look at a repository found, in a sentence. */
export function foundBy({ state, reason, branch, tipSha }: Source): string {
  if (state === "unavailable" && reason !== null) return reasonOf(reason);
  return tipSha === null ? words.states[state] : words.tip(branch, shortSha(tipSha));
}

/** Where a change has to be live, and how it is there. */
export type Place = {
  id: string;
  label: string;
  state: keyof typeof words.coverage;
  reportedAt: number | null;
};
/** One change that a campaign announces, with its environments. */
export type Change = { id: string; label: string; places: readonly Place[] };

/** The changes of a campaign with the environments where they have to be live; `reportedAt` is that of the deployment of now. */
export function changesOf({ requirements, coverage }: Activation): Change[] {
  return requirements.map(({ id, sourceId, label, mappingIds }) => ({
    id,
    label: `${sourceId}: ${label}`,
    places: mappingIds.map((mappingId) => {
      const found = coverage.find((each) => each.requirementId === id && each.mappingId === mappingId);
      return {
        id: mappingId,
        label: found?.mappingLabel ?? mappingId,
        state: found?.state ?? "unknown",
        reportedAt: found?.evidence?.reportedAt ?? null,
      };
    }),
  }));
}

/** A place of a change in words: where, how it is there, and since when that is reported. */
export const placeText = ({ label, state, reportedAt }: Place, timeOf: (at: number) => string): string => {
  const is = `${label}: ${words.coverage[state]}`;
  return state === "present" && reportedAt !== null ? `${is}, ${words.since(timeOf(reportedAt))}` : is;
};

/** Everything that a campaign waits for, each once, in the order of the server. */
export function waitsFor({ assessment: { blockers } }: Activation): string[] {
  const sentences = blockers.map(({ code, detail }) =>
    code === "readiness" && detail !== undefined ? detail : (words.blockers[code] ?? detail ?? code),
  );
  return [...new Set(sentences)];
}

/** Whether people decide what comes next. */
export const needsPeople = ({ assessment: { blockers } }: Activation): boolean =>
  blockers.some(({ code }) => code === "approval" || code === "project_paused");

/** How a campaign came to be launched, after the word for it. */
export function launchedHow({ launch }: Activation): string | null {
  if (launch === null) return null;
  if (launch.override !== undefined) return words.overriddenBy(launch.override.by, launch.override.reason);
  return launch.mode === "automatic" ? words.byItself : words.byHand;
}

/** What is typed into the form of a repository. Empty texts of a credential leave it as it is. */
export type Typed = {
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

const secretsOf = ({ credential, knownHosts, dropsCredential }: Typed) => {
  if (dropsCredential) return { credential: null };
  if (credential.trim() === "") return {};
  return { credential, ...(knownHosts.trim() !== "" && { knownHosts }) };
};

export function connectBody(typed: Typed): Input<"connectSource">["body"] {
  const { id, kind, url, branch, instructions } = typed;
  const { credential, ...hosts } = secretsOf(typed);
  return {
    ...{ id: id.trim(), kind, url: url.trim(), branch: branch.trim(), instructions },
    ...(typeof credential === "string" && { credential, ...hosts }),
  };
}

/** Only what differs from before; null where nothing does. */
export function changeBody(typed: Typed, before: Typed): Input<"changeSource">["body"] | null {
  const fields = ["kind", "url", "branch", "instructions", "enabled", "paused"] as const;
  const changed = Object.fromEntries(
    fields.filter((field) => typed[field] !== before[field]).map((field) => [field, typed[field]]),
  );
  const body = { ...changed, ...secretsOf(typed) };
  return Object.keys(body).length === 0 ? null : body;
}
