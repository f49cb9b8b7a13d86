import { wordFor } from "@tidings/client/text";
import { counted, numberOf } from "../../platform/figures.ts";
import type { Guardrail } from "../../ui/guardrails/kinds.ts";

/** What a guardrail means, and how its field is filled. */
type Explained = { about: string; hint?: string };

const guardrails: Readonly<Record<Guardrail, Explained>> = {
  maxActiveCampaigns: {
    about: "How many campaigns of the goal run or are scheduled at the same time.",
  },
  quietUntil: {
    about: "No campaign of the goal begins before.",
  },
  forbiddenPhrases: {
    about: "No text that people read may say them.",
    hint: "One on each line; “free*” also finds “freedom”.",
  },
  allowedHosts: {
    about: "No message may link elsewhere, or show pictures of others.",
    hint: "One on each line; “*.acme.example” allows all below acme.example, “acmeapp:” an app.",
  },
  maxUnsubscribeRate: {
    about:
      "Of the messages that a mail server took, or that were shown. A campaign that surely goes beyond it is paused.",
  },
  maxComplaintRate: {
    about:
      "Of the messages that a mail server took, or that were shown. A campaign that surely goes beyond it is paused.",
  },
  minConversionRate: {
    about: "Of the users whose time to convert is over. A campaign that surely stays below it is paused.",
  },
  minControlShare: {
    about: "The part of the users that the control keeps when weights change.",
  },
  errorBudget: {
    about: "How many of the verdicts of agents may be wrong.",
    hint: "0.1 to 50; without it nothing bounds them.",
  },
  minimumLift: {
    about: "A difference that is surely smaller is called similar.",
    hint: "Without it: 5.",
  },
};

export const words = {
  group: "Group",
  groups: { served: "Served", withheld: "Held out", withoutHoldout: "While nobody was held out" },
  countedUsers: "Users",
  convertedUsers: "Converted users",
  rateOf: "Rate",
  about:
    "What your messages are for: the event that means success, and the limits within which it is pursued.",
  newGoal: "New goal",
  status: "Status",
  all: "All",
  statuses: { active: "Active", archived: "Archived" },
  name: "Goal",
  event: "Counted event",
  noEvent: "none yet",
  heldOut: "Held out",
  noUsers: "nobody",
  limits: "Limits",
  noLimits: "none",
  approval: "Changes of agents",
  made: "Made",
  none: "There is no goal yet.",
  noneAbout:
    "Name the event that means success, such as an upgrade. Campaigns of a goal are measured by it, and stay within its limits.",
  noMatch: "No goal is like that.",
  onlyNewest: "These are the newest 100.",
  approvals: { require_human: "People approve", auto: "Without approval" },

  back: "All goals",
  edit: "Edit",
  archive: "Archive",
  reactivate: "Make active again",
  archiveTitle: (name: string) => `Archive “${name}”?`,
  archiveAbout:
    "Its campaigns go on, with its limits and its holdout, and agents look after them no more. You can make it active again.",
  archived: "The goal is archived.",
  reactivated: "The goal is active again.",
  counts: (event: string, days: number) =>
    `Counts ${event} within ${days === 1 ? "a day" : counted(days, "day")} after a message`,
  countsNothing: "Counts no event yet",
  madeAt: (time: string, zone: string) => `made ${time} (${zone})`,

  views: { results: "Results", campaigns: "Campaigns", limits: "Limits" },
  sections: "Parts of the goal",

  lift: "What messages of this goal do",
  eventAbout: "The event of the goal, or another one that you are curious about.",
  chooseEvent: "The goal counts no event, so choose one here, or give the goal one.",
  nothingHappened: "Your users have done nothing that could be counted yet. Send events, then look again.",
  everyUser:
    "Every user counts once, from the first message of the goal’s campaigns that was made for them, or that the holdout kept from them.",
  noHoldout: "Nobody is held out, so nobody can tell what the messages do.",
  noHoldoutAbout:
    "Most of those who convert would have done so anyway. Hold out 5 to 10 % of the users for a while to see the difference.",
  without: (users: number) =>
    `${counted(users, "user")} got messages while nobody was held out. ${users === 1 ? "This one is" : "They are"} in no comparison.`,
  age: (time: string, matured: string, zone: string) =>
    `Counted exactly at ${time} (${zone}). Users who got their first message until ${matured} are counted in full; later ones still have time to convert.`,

  picture: "Holdout and error budget",
  users: "Users",
  served: (percent: string) => `${percent} may get messages`,
  withheld: (percent: string) => `${percent} get none`,
  usersAbout: (served: number, out: number) =>
    `Of 100 users, ${served} may get messages of this goal and ${counted(out, "gets", "get")} none. ${out === 1 ? "This one shows" : `The ${out} show`} what would have happened anyway.`,
  allServed: "All users may get messages of this goal, so nothing shows what would have happened anyway.",
  verdicts: "Verdicts of agents",
  right: (percent: string) => `${percent} have to be right`,
  wrong: (percent: string) => `${percent} may be wrong`,
  verdictsAbout: (percent: string, verdicts: number, treatments: number) =>
    `An agent that takes a variant from all users gives a verdict. At most ${percent} of the verdicts may be wrong. So far there ${wordFor(verdicts, "was", "were")} ${numberOf(verdicts)}, on ${counted(treatments, "text")}.`,
  evidence: (chance: string) =>
    `The next text needs evidence that comes by chance in at most 1 of ${chance}; each text without a verdict raises that.`,
  noBudget: "No error budget is set, so nothing bounds how many verdicts of agents are wrong.",

  noCampaigns: "No campaign has this goal yet. Choose it in the editor, under “Where, when and what for”.",
  converted: "Converted",

  limit: "Limit",
  allowed: "Allowed",
  now: "Now",
  noGuardrails: "This goal has no limits.",
  noGuardrailsAbout:
    "Limits hold whoever acts: a person, a program or an agent. Set them under Edit: phrases that no text may say, how many may unsubscribe, how many campaigns run at once.",
  others: "Other keys, for your own use",
  othersLabel: "Other keys as JSON",
  unreadable: (name: string, message: string) =>
    `${name} ${message}, so nothing is launched until you mend it.`,
  observed: "What its campaigns observe",
  observedAbout:
    "Rates pause a campaign only when they are surely beyond the limit, so a few users decide nothing.",
  noneWatched: "No campaign of the goal runs or is paused.",
  nothingToWatch: "The limits of this goal are about no single campaign.",
  someWatched: (shown: string, all: string) => `The newest ${shown} of ${all}.`,
  passed: "over",
  seeBelow: "see below",
  breaches: "What went beyond a limit",
  noBreaches: "No campaign of this goal was ever paused for a limit.",
  campaign: "Campaign",
  what: "Limit",
  was: "Was",
  when: "When",
  after: "Since then",
  stillPaused: "Not cleared",
  mendText: "Mend the text or the limit, then resume it",
  cleared: (by: string, time: string) => `Cleared by ${by}, ${time}`,
  clearAbout:
    "A campaign that was paused for a rate runs again when the limit allows what was counted, or when an approver clears it under Approvals.",
  clear: "Clear it",
  asOf: (time: string, zone: string) => `As of ${time} (${zone})`,
  verdictsSoFar: (count: number) => counted(count, "verdict"),

  newAbout: "Say what success is. Everything can be changed later; what was measured stays.",
  editTitle: (name: string) => `Edit ${name}`,
  needsApprover:
    "You can make limits stricter here. Making one looser, a smaller holdout and agents that decide alone take an approver in this project.",
  editAbout:
    "What you change holds from now on. Another holdout or another time to convert mixes up nothing that was measured.",
  backTo: "Back to the goal",
  fields: {
    name: "Name",
    description: "Description",
    targetEvent: "Event that means success",
    attributionDays: "Time to convert (days)",
    holdoutPercent: "Held out (%)",
    approvalMode: "Changes of agents",
    others: "Other keys",
  } as Readonly<Record<string, string>>,
  descriptionAbout: "What it is good for. Empty for none.",
  targetEventAbout: "Its name as your pages or programs send it. Empty for none.",
  attributionAbout: "How many days after a message a conversion counts: 1 to 90.",
  holdoutAbout: "How many of 100 users get no message of this goal: 0 to 50.",
  modes: {
    require_human: "People approve what an agent changes",
    auto: "An agent may change campaigns without approval, within the limits",
  },
  measuring: "What success is",
  guardrailsTitle: "Limits",
  guardrailsAbout: "They hold whoever acts. Leave a field empty for no limit.",
  guardrails,
  inPercent: (name: string) => `${name} (%)`,
  zone: (zone: string) => `Times in ${zone}.`,
  asShare: (fault: string) => `${fault} (as a share: 0.02 is 2 %)`,
  faultAt: (field: string, fault: string) => `${field}: ${fault}`,
  othersAbout: "A JSON object with keys of your own. Tidings keeps them, and does nothing with them.",
  othersFault: {
    json: "This is no JSON.",
    object: "This has to be a JSON object.",
    field: (name: string) => `${name} has a field of its own above.`,
  },
  make: "Make the goal",
  save: "Save",
  discard: "Discard",
  startOver: "Start over",
  madeIt: "The goal is made.",
  savedIt: "The goal is changed.",
  unchanged: "Nothing is changed yet.",
  staleTitle: "This goal was changed meanwhile",
  staleAbout: (fields: string) =>
    `You have changed as well: ${fields}. Saving puts yours in the place of theirs.`,
  takeTheirs: "Take theirs",
} as const;
