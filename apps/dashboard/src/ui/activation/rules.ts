import type { Answer } from "@tidings/client";
import { words } from "./words.ts";

/** How a campaign that announces changes of code comes to be launched. */
export type Activation = Answer<"getCampaignActivation">;
type Mode = Activation["effectiveMode"];
type Blocker = Activation["assessment"]["blockers"][number];

/** Where a change has to be live, and how it is there. */
export type RequiredEnvironment = {
  id: string;
  label: string;
  state: keyof typeof words.coverage;
  /** What the deployment of now is called, and when it was reported (epoch ms); null where there is none. */
  evidence: { label: string; reportedAt: number } | null;
};
/** One change that a campaign announces, with its environments. */
export type AnnouncedChange = {
  id: string;
  sourceId: string;
  label: string;
  places: readonly RequiredEnvironment[];
};

/** The changes of a campaign with the environments where they have to be live. */
export function announcedChanges({ requirements, coverage }: Activation): AnnouncedChange[] {
  return requirements.map(({ id, sourceId, label, mappingIds }) => ({
    id,
    sourceId,
    label,
    places: mappingIds.map((mappingId) => {
      const found = coverage.find((each) => each.requirementId === id && each.mappingId === mappingId);
      return {
        id: mappingId,
        label: found?.mappingLabel ?? mappingId,
        state: found?.state ?? "unknown",
        evidence: found?.evidence ?? null,
      };
    }),
  }));
}

/** How a change is in a place, in words, and since when that is reported. */
export const stateText = (
  { state, evidence }: RequiredEnvironment,
  timeOf: (at: number) => string,
): string =>
  state === "present" && evidence !== null
    ? `${words.coverage[state]}, ${words.since(timeOf(evidence.reportedAt))}`
    : words.coverage[state];

/** What a campaign waits for, in a sentence; a word of a later server as that server explains it. */
export const describeBlocker = ({ code, detail }: Blocker): string => words.blockers[code] ?? detail ?? code;

/** What to know of it or to do about it, with the pages of the dashboard in place of commands; null where the sentence says all. */
export const hintOf = ({ code, detail }: Blocker): string | null => words.hints[code] ?? detail ?? null;

/** Everything that a campaign waits for, each once, in the order of the server. */
export function waitsFor({ assessment: { blockers } }: Pick<Activation, "assessment">): string[] {
  const sentences = blockers.map((blocker) =>
    blocker.code === "readiness" ? (hintOf(blocker) ?? describeBlocker(blocker)) : describeBlocker(blocker),
  );
  return [...new Set(sentences)];
}

/** How a campaign launches that follows the project, or has a mode of its own. */
export type LaunchChoice = "project" | Mode;

export const launchChoice = ({ override }: Pick<Activation, "override">): LaunchChoice =>
  override ?? "project";

/** How a campaign comes to be launched, and who says so, in a sentence. */
export const modeText = ({ override, effectiveMode }: Activation): string =>
  override === null ? words.follows[effectiveMode] : words.own[override];

const modeBy = ({ defaultMode }: Activation, choice: LaunchChoice): Mode =>
  choice === "project" ? defaultMode : choice;

/** Whether a choice launches the campaign within seconds: nothing but its mode has kept it from launching by itself. */
export const launchesAtOnce = (activation: Activation, choice: LaunchChoice): boolean =>
  modeBy(activation, choice) === "automatic" &&
  activation.effectiveMode === "manual" &&
  activation.assessment.blockers.every(({ code }) => code === "manual");

/** What a choice means for a campaign, before it is saved. */
export function effectOf(activation: Activation, choice: LaunchChoice): string {
  const mode = modeBy(activation, choice);
  if (mode === activation.effectiveMode) return words.effects[choice === "project" ? "follows" : "stays"];
  if (launchesAtOnce(activation, choice)) return words.effects.launches;
  if (mode === "automatic") return words.effects[activation.approval === "approved" ? "waits" : "asks"];
  return words.effects.manual;
}

/** Whether people decide what comes next. */
export const needsPeople = ({ assessment: { blockers } }: Pick<Activation, "assessment">): boolean =>
  blockers.some(({ code }) => code === "approval" || code === "project_paused");
