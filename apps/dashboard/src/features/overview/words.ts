import { wordFor } from "@tidings/client/text";
import { counted, numberOf } from "../../platform/figures.ts";

export const words = {
  about: (zone: string) => `What waits for you, and how this project stands. Times are those of ${zone}.`,
  projects: "Projects",
  projectsAbout: "All that this server looks after.",
  users: "Users",
  active: "Active this period",
  events: "Events in 7 days",
  campaigns: "Running campaigns",
  withheld: "Withheld deliveries",
  begin: "Put Tidings on your pages",
  beginAbout:
    "Put in your own id of the user in place of ada. From then on the user is known, what they do is recorded, and campaigns reach them.",
  snippet: "Lines for your pages",
  noKey: "This project has no publishable key. An owner makes one under Keys.",
  none: "There is no project yet. Operators make one here.",
  newProject: "New project",
  newAbout: "A project has its own keys, users, campaigns and figures. One for each product is usual.",
  name: "Name",
  make: "Make the project",
  ready: (name: string) => `${name} is ready`,
  keysAbout:
    "Copy the secret key and the agent key now: they are shown this once. More can be made under Keys.",
  keys: {
    publishableKey: "Publishable key, for pages and apps",
    secretKey: "Secret key, for your servers",
    agentKey: "Agent key, for an agent of your own",
  },
  next: "Where to go next",
  nextOverview: "Put Tidings on your pages",
  nextPeople: "Invite people",
  nextEmail: "Set up email",
  close: "Close",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  renameNow: "Rename",
  renamed: (name: string) => `The project is called ${name} now.`,
  remove: "Delete",
  removeOf: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete ${name} for good?`,
  removeAbout:
    "Users, events, campaigns, deliveries, figures, settings, keys and the audit log of the project go. Its keys stop within 5 seconds, its campaigns end, and nothing brings it back. The export on the server keeps a copy: npx tidings export.",
  typeName: (name: string) => `Type ${name} to confirm`,
  removeNow: "Delete for good",
  removed: (name: string) => `${name} is deleted.`,
  demo: "made by the demo",
  glance: (users: number, events: number, campaigns: number) =>
    `${counted(users, "user")}, ${counted(events, "event")} in 7 days, ${counted(campaigns, "running campaign")}`,
  noFigures: "Its figures could not be read.",
  glanceComes: "…",

  waiting: "What waits for you",
  calm: "Nothing waits for you: messages are served, and everything goes by itself.",
  calmButStill: "No campaign waits for a decision of yours, but nothing goes by itself: see above.",
  asOf: (time: string) => `As of ${time}`,
  kinds: {
    serving: "Serving",
    fault: "Nothing leaves",
    breach: "Paused",
    takenBack: "Taken back",
    split: "Broken split",
    source: "Source",
    unknown: "Unknown mail",
    unattended: "Nobody at work",
    proposal: "Proposal",
    approval: "Approval",
    draft: "Ready",
  },
  settle: {
    serving: "See usage",
    fault: "See the campaign",
    breach: "Decide",
    takenBack: "See what is live",
    split: "See the split",
    source: "See the source",
    unknown: "Settle",
    unattended: "See the agent",
    proposal: "Decide",
    approval: "Decide",
    draft: "Launch it",
  },
  paymentRequired: "Nothing is served on any channel before billing is restored.",
  capReached: "Nothing is served on any channel: the spend cap is reached.",
  emailPaused: "No campaign email leaves: billing is past due.",
  fault: (name: string, why: string, since: string) => `“${name}”, since ${since}: ${why}`,
  breach: (name: string, guardrail: string, observed: string, limit: string) =>
    `“${name}” was paused for a limit of its goal. ${guardrail}: ${observed}, the limit is ${limit}.`,
  takenBack: {
    rollback: (name: string, place: string, since: string) =>
      `“${name}” goes on, but since ${since} ${place} runs without a change that it announces.`,
    revert: (name: string, place: string, since: string) =>
      `“${name}” goes on, but a change that it announces was reverted in ${place}, ${since}.`,
  },
  split: (name: string) =>
    `“${name}” splits its users otherwise than its weights say, so it claims no winner.`,
  source: (id: string, why: string | null) => `${id} cannot be read${why === null ? "." : `: ${why}`}`,
  /** @param orMore whether only so many were counted */
  unknown: (count: number, orMore: boolean) =>
    `${numberOf(count)} ${orMore ? "or more mails were" : wordFor(count, "mail was", "mails were")} handed over, and no answer came.`,
  unattended: {
    approved: (name: string, since: string) =>
      `The change of “${name}” that was approved has not been applied since ${since}`,
    due: (name: string, since: string) => `“${name}” has waited for an agent since ${since}`,
    more: (count: string) => `, and ${count} more with it`,
    because: {
      process: ": no process has the role agent.",
      program: ": no program of yours is at work, and no policy is set.",
    },
  },
  proposal: (name: string, until: string) =>
    `An agent wants to change “${name}”. It can be approved until ${until}.`,
  approval: (name: string) => `“${name}” launches by itself once you allow it.`,
  draft: (name: string) => `What “${name}” announces is live. You can launch it.`,
  more: (count: string) => `and ${count} more like this`,

  days: "The last 90 days",
  daysAbout: (time: string) => `Days are those of UTC. Counted at ${time}.`,
  behind: (time: string) => `What came after ${time} is still being added up.`,
  figures: { events: "Events", reached: "Messages met", converted: "Converted" },
  figuresAbout:
    "A message is met when it is shown in a page, or delivered by mail or push. A user converts within the time that the goal counts.",
  sentence: (figure: string, total: string, from: string, to: string, most: string | null) =>
    `${figure} from ${from} to ${to}: ${total}${most === null ? "." : `, ${most}.`}`,
  most: (count: string, day: string) => `most on ${day}, ${count}`,
  day: "Day (UTC)",

  activity: "What happened last",
  noActivity: "Nothing has happened yet. Users and the messages that they get appear here.",
  when: "When",
  what: "What",
  who: "User",
  seenFirst: "Came for the first time",
  queued: "Message queued:",
  gone: "erased",
} as const;
