import type { Answer, Input } from "@tidings/client";
import { timeOf } from "../../platform/times.ts";
import { parseTypedJson } from "../../platform/typed-json.ts";
import { words } from "./words.ts";

export type PushStanding = Answer<"getPushStanding">;
export type Way = PushStanding["ways"][number];
export type PushCampaignStanding = PushStanding["campaigns"][number];
export type Installation = Answer<"listInstallations">["installations"][number];
export type InstallationStory = Answer<"getInstallationStory">;
export type StoryStep = InstallationStory["steps"][number];
export type Slot = InstallationStory["slots"][number];
export type Credential = Answer<"listPushCredentials">["credentials"][number];
export type Inspection = Answer<"getCampaignPush">;
type Body = Input<"putPushCredential">["body"];

export const PLATFORMS = ["ios", "android", "web"] as const satisfies readonly Way["platform"][];
export type GivenCredential = Body["credential"];

/** A reason in words; a word of a later server as it is. `platform`: of the device, where one is meant. */
export const describePushReason = (reason: string, platform?: Way["platform"]): string =>
  (platform === "web" ? words.browserReasons[reason] : undefined) ?? words.reasons[reason] ?? reason;

export const describeWay = ({ platform, environment }: Pick<Way, "platform" | "environment">): string =>
  `${words.platforms[platform]}, ${words.environments[environment]}`;

/** What keeps pushes of a way from leaving, in a sentence; null where nothing does. */
export function wayFault({ credential, refused, devices, ready }: Way): string | null {
  if (refused !== null) return words.refused(refused.code, timeOf(refused.at));
  if (credential === "none") return words.noCredential;
  if (credential === "sealed") return words.sealed;
  if (devices === 0) return words.noDevices;
  return ready === 0 ? words.noneReady : null;
}

/** What keeps the devices of a way that cannot be sent to, each with how many. */
export const keptBack = ({ unbound, noToken, noConsent, notPermitted }: Way): string[] =>
  [
    { count: unbound, what: words.unbound },
    { count: noToken, what: words.noToken },
    { count: noConsent, what: words.noConsent },
    { count: notPermitted, what: words.notPermitted },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, what }) => what(count));

/** Why nothing of a campaign leaves now, by what is known without its users; null where it does. */
export function campaignFault(
  { status, appId, deliverFrom, deliverUntil }: PushCampaignStanding,
  ways: readonly Way[],
  now: number,
): string | null {
  if (status === "draft") return words.isDraft;
  if (status === "ended") return words.hasEnded;
  if (status === "paused") return words.isPaused;
  if (deliverFrom !== null && now < deliverFrom) return words.notYet;
  if (deliverUntil !== null && deliverUntil <= now) return words.isOver;
  const theirs = ways.filter((way) => way.appId === appId).map(({ credential }) => credential);
  if (theirs.includes("usable")) return null;
  return theirs.includes("refused") ? words.refusedFor(appId) : words.noCredentialFor(appId);
}

/** Why a device cannot be sent to, by its own facts; null where it can, given a credential. */
export function deviceFault({
  userId,
  hasToken,
  consent,
  permission,
}: Installation): Exclude<InstallationStory["fault"], "credential"> {
  if (userId === null) return "no_installation";
  if (!hasToken) return "no_token";
  if (!consent) return "no_consent";
  return permission === "granted" || permission === "provisional" ? null : "permission";
}

type Titled = { what: string; about: string | null };

type Answered = Pick<StoryStep, "submission" | "code" | "retryAfterMs">;

const detailsOf = ({ submission, code, retryAfterMs }: Answered): string[] =>
  [
    submission === "possible" ? words.mayHaveIt : null,
    code === null ? null : words.code(words.codes[code] ?? code),
    retryAfterMs === null ? null : words.retryAfter(Math.ceil(retryAfterMs / 1_000)),
  ].filter((detail) => detail !== null);

type Outcome = Inspection["outcomes"][number];

const outcomeOf = (step: StoryStep): Titled => ({
  what: step.outcome === null ? "" : words.outcomes[step.outcome],
  about: detailsOf(step).join(" ") || null,
});

/** What came of an attempt, in a sentence. */
export function outcomeSentence(
  submission: Outcome["submission"],
  { kind, code, retryAfterMs }: Outcome["result"],
): string {
  const details = { submission, code: code ?? null, retryAfterMs: retryAfterMs ?? null };
  return [`${words.outcomes[kind]}.`, ...detailsOf(details)].join(" ");
}

const reportOf = ({ report, detail }: StoryStep): Titled => ({
  what: report === null ? "" : words.reports[report],
  about: detail,
});

/** A step of a device's story, in words. */
export function describeStep(step: StoryStep): Titled {
  switch (step.kind) {
    case "chosen":
      return { what: words.chosen, about: null };
    case "written":
      return { what: (step.number ?? 1) > 1 ? words.writtenAnew : words.written, about: step.title };
    case "attempt":
      return { what: words.attempted(step.number ?? 1), about: null };
    case "outcome":
      return outcomeOf(step);
    case "report":
      return reportOf(step);
  }
}

/** How a push for a device is now, in a sentence. */
export function describeSlotState(
  { state, reason, uncertain }: Pick<Slot, "state" | "reason" | "uncertain">,
  platform?: Way["platform"],
): string {
  const is = words.states[state];
  const why = reason === null || reason === state ? is : `${is}: ${describePushReason(reason, platform)}`;
  return uncertain && state !== "accepted" && reason !== "uncertain" ? `${why} ${words.mayHaveIt}` : why;
}

/** Whether pushes for a device wait for a credential that its provider takes, although there is one. */
export const waitsForCredential = ({ fault, slots }: Pick<InstallationStory, "fault" | "slots">): boolean =>
  fault === null && slots.some(({ state, reason }) => state === "waiting" && reason === "credential");

/** What is typed into the form of a credential. */
export type TypedCredential = {
  teamId: string;
  keyId: string;
  topic: string;
  privateKey: string;
  account: string;
  subject: string;
  /** A key for browsers that a person brings; null where it is made, or stays. */
  vapidKey: string | null;
};

/** Names that lead nowhere (RFC 2606, RFC 6761, RFC 6762), which push services refuse. */
const NOWHERE = /(^|\.)(localhost|local|test|example|invalid|internal|example\.(com|net|org))$/i;

/** A person's own address as the contact address of a credential; empty where push services could not write to it. */
export function contactOf(email: string): string {
  const host = /^[^\s@?]+@([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,63})$/i.exec(email)?.[1];
  return host === undefined || NOWHERE.test(host) ? "" : `mailto:${email}`;
}

/** What is typed as a contact address, with the scheme that a plain mailbox lacks. */
const subjectOf = (typed: string): string => {
  const subject = typed.trim();
  return subject.includes("@") && !subject.includes(":") ? `mailto:${subject}` : subject;
};

function browserCredential({ subject: typed, vapidKey }: TypedCredential): GivenCredential | null {
  const subject = subjectOf(typed);
  const privateKey = vapidKey?.trim();
  if (subject === "" || privateKey === "") return null;
  return { provider: "webpush", subject, ...(privateKey !== undefined && { privateKey }) };
}

const textIn = (value: unknown, name: string): string | null => {
  if (typeof value !== "object" || value === null || !(name in value)) return null;
  const field = (value as Record<string, unknown>)[name];
  return typeof field === "string" ? field : null;
};

/** The credential in the JSON of a service account of Google; null where it is none. */
export function accountIn(json: string): GivenCredential | null {
  let value: unknown;
  try {
    value = parseTypedJson(json);
  } catch {
    return null;
  }
  const [projectId, clientEmail, privateKey] = ["project_id", "client_email", "private_key"].map((name) =>
    textIn(value, name),
  );
  if (!projectId || !clientEmail || !privateKey) return null;
  return { provider: "fcm", projectId, clientEmail, privateKey };
}

/** The credential that was typed; null where it is not all there. */
export function credentialOf(platform: Way["platform"], typed: TypedCredential): GivenCredential | null {
  if (platform === "android") return accountIn(typed.account);
  if (platform === "web") return browserCredential(typed);
  const [teamId, keyId, topic] = [typed.teamId.trim(), typed.keyId.trim(), typed.topic.trim()];
  const privateKey = `${typed.privateKey.trim()}\n`;
  if (teamId === "" || keyId === "" || topic === "" || privateKey.trim() === "") return null;
  return { provider: "apns", teamId, keyId, topic, privateKey };
}
