export const words = {
  about: "What waits for you, and how this project stands.",
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
  noKey:
    "This project has no publishable key. Make one on the server: npx tidings key rotate --kind publishable",
  none: "There is no project yet. Make one on the server: npx tidings project create --name N",
  demo: "made by the demo",
  glance: (users: string, events: string, campaigns: string) =>
    `${users} users, ${events} events in 7 days, ${campaigns} running campaigns`,
  noFigures: "Its figures could not be read.",

  waiting: "What waits for you",
  calm: "Nothing waits for you: messages are served, and everything goes by itself.",
  asOf: (time: string) => `As of ${time}`,
  kinds: {
    serving: "Serving",
    fault: "Nothing leaves",
    breach: "Paused",
    split: "Broken split",
    source: "Source",
    unknown: "Unknown mail",
    proposal: "Proposal",
    approval: "Approval",
    draft: "Ready",
  },
  settle: {
    serving: "See usage",
    fault: "See the campaign",
    breach: "See the campaign",
    split: "See the split",
    source: "See sources",
    unknown: "Settle",
    proposal: "Decide",
    approval: "Decide",
    draft: "Launch it",
  },
  paymentRequired: "Nothing is served on any channel before billing is restored.",
  capReached: "Nothing is served on any channel: the spend cap is reached.",
  emailPaused: "No campaign email leaves: billing is past due.",
  fault: (name: string, why: string, since: string) => `“${name}”, since ${since}: ${why}`,
  breach: (name: string, guardrail: string) => `“${name}” went beyond its guardrail ${guardrail}.`,
  split: (name: string) =>
    `“${name}” splits its users otherwise than its weights say, so it claims no winner.`,
  source: (id: string, why: string | null) => `${id} cannot be read${why === null ? "." : `: ${why}`}`,
  unknown: (count: string, isOne: boolean) =>
    isOne
      ? "Of one message nobody knows whether it left."
      : `Of ${count} messages nobody knows whether they left.`,
  atLeast: (count: string) => `${count} or more`,
  proposal: (name: string, until: string) =>
    `An agent wants to change “${name}”. It can be approved until ${until}.`,
  approval: (name: string) => `“${name}” launches by itself once you allow it.`,
  draft: (name: string) => `What “${name}” announces is live. You can launch it.`,
  more: (count: string) => `and ${count} more like this`,

  days: "The last 90 days",
  daysAbout: (time: string) => `Days are those of UTC. Counted at ${time}.`,
  behind: (time: string) => `What came after ${time} is still being added up.`,
  figures: { events: "Events", impressions: "Shown or delivered", conversions: "Converted" },
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
