import { wordFor } from "@tidings/client/text";
import { counted } from "../../platform/figures.ts";
import { campaignStatuses, channelNames } from "../../ui/campaigns/campaign-statuses.ts";
import { deliveryStates, unreachableReasons } from "../../ui/campaigns/delivery-states.ts";
import { pausedBy } from "../../ui/campaigns/paused-by.ts";

const usersOf = (users: number): string => counted(users, "user");

export const words = {
  saveAbout:
    "A file with the deliveries in the state that is chosen, with the user of each and when each step was. Erased users are not in it.",
  step: "Step",
  count: "Deliveries",
  share: "Share",
  saveMails: "Save mails as CSV",
  saveMailsAbout:
    "A file with the mail of this campaign: to which address each went, how far it is, and what the mail server answered last.",
  newCampaign: "New campaign",
  edit: "Edit",
  about: "What you say to your users, to whom, and what came of it.",
  search: "Search by name",
  status: "Status",
  all: "All",
  name: "Name",
  figures: {
    sent: "Sent",
    shown: "Shown",
    opened: "Opened",
    clicked: "Clicked",
    converted: "Converted",
  },
  made: "Made",
  none: "There is no campaign yet.",
  noneAbout:
    "Write the first one here, or let a program or the agent make it. It is a draft until you launch it.",
  noMatch: "No campaign is like that.",
  statuses: campaignStatuses,
  channels: channelNames,
  makers: { human: "by a person", api: "by a program", agent: "by source work" } as Readonly<
    Record<string, string>
  >,
  madeAt: (time: string, by: string) => `Made ${time} ${by}`,
  startedAt: (time: string) => `started ${time}`,
  launchedAt: (time: string) => `launched ${time}`,
  begins: (time: string) => `begins ${time}`,
  began: (time: string) => `began ${time}`,
  endedAt: (time: string, by: string) => `ended ${time}${by}`,
  endedBy: {
    human: (name: string) => ` by ${name}`,
    api: " by a program",
    agent: " by an agent",
    itself: " by itself: it was sent once",
  },
  endedByItself: (time: string) => `Ended by itself, ${time}`,
  sendingOnce: "Sending once",
  sentOnce: "Sent once: ends by itself when all of it is finished",
  isSentOnce:
    "Is sent once: whoever matches when it is launched, or when its time begins, gets it. Then it ends by itself.",
  goesOn: "Goes on to whoever matches later, until you end it or its time is over.",
  passing: {
    email: (left: number) =>
      `Sending once: it goes through its audience now, and ${counted(left, "mail waits", "mails wait")} to leave so far.`,
    push: (left: number) =>
      `Sending once: it goes through its audience now, and ${counted(left, "push waits", "pushes wait")} to leave so far.`,
  },
  left: {
    email: (left: number) => `Sending once: ${counted(left, "mail", "mails")} left. Then it ends by itself.`,
    push: (left: number) => `Sending once: ${counted(left, "push", "pushes")} left. Then it ends by itself.`,
  },
  untilDecided: (mails: number) =>
    `It does not end before a person decides about ${counted(mails, "mail whose fate is", "mails whose fate is")} unknown.`,
  decideUnknown: "Decide",
  endsSoon: "Sent. It ends by itself in a moment.",
  passed: (time: string) => `It had gone through its audience ${time}: whoever matches later gets nothing.`,
  endedByWindow: (time: string) => `ended ${time} by its window`,
  pausedBy: {
    human: pausedBy,
    api: (time: string) => pausedBy("a program", time),
    agent: (time: string) => pausedBy("an agent", time),
    guardrail: (limit: string, time: string) => `Paused for a limit of its goal (${limit}), ${time}`,
    import: (time: string) => `${pausedBy("the import", time)}: it ran in the project that was imported`,
    unknown: "Nobody knows any more who paused it",
  },
  aPerson: "a person",
  pausedRun: "See why",
  decideLimit: "Decide about the limit",
  from: (time: string) => `from ${time}`,
  until: (time: string) => `until ${time}`,
  to: (audience: string) => `Audience: ${audience}`,
  countAudience: "Count who matches now",
  unreadable: "Its audience cannot be read, so it reaches no user.",
  onPages: (pages: string) => `, on ${pages}`,
  ofTopic: (name: string | null) => (name === null ? "Its topic" : `Topic: ${name}`),
  ofGoal: (name: string | null) => (name === null ? "Its goal" : `Goal: ${name}`),
  segment: "Its segment",
  waitsForCode: "It announces changes of code: see what it waits for",
  back: "All campaigns",

  actions: { launch: "Launch", pause: "Pause", end: "End" },
  resume: "Resume",
  duplicate: "Duplicate",
  copySuffix: " (copy)",
  copied: "A draft with the same content is open now.",
  cancel: "Cancel",
  ofStep: (step: string) => `Message of the step “${step}” of the journey`,
  ofJourney: (name: string | null) => (name === null ? "Its journey" : `“${name}”`),
  ofStepAbout: "It goes to users who come to the step. The journey launches it, and ends it.",
  notWithoutJourney: "Its journey does not run: the message goes on with it.",
  backToJourney: "Back to the journey",
  resumeTitle: (name: string) => `Resume “${name}”?`,
  resumeAbout: "Users who wait at its step get it then, and go on.",
  endTitle: (name: string) => `End “${name}”?`,
  endAbout:
    "It is for good: an ended campaign never runs again, and what waits to leave never does. What it counted stays.",
  launchTitle: (name: string) => `Launch “${name}”?`,
  census: "Whom it reaches",
  asOf: (time: string, zone: string) => `Counted exactly at ${time}, in the zone ${zone}`,
  getsIt: {
    web_inapp: (users: number) =>
      users === 0
        ? "No known user gets it; whoever comes and matches does"
        : `${counted(users, "known user gets", "known users get")} it when they come`,
    visitors: (visitors: number) =>
      visitors === 0
        ? "No known visitor gets it; whoever comes and matches does"
        : `${counted(visitors, "known visitor gets", "known visitors get")} it when they come`,
    email: (users: number) => counted(users, "user gets this mail", "users get this mail"),
    push: (users: number) => counted(users, "user gets this push", "users get this push"),
  },
  asItBegins: (time: string) => `, as of now, when it begins ${time}`,
  thenEnds: ". Then it ends by itself; whoever matches later gets nothing.",
  andLater: (until: string | null) =>
    `, and whoever matches later, until you end it${until === null ? "" : ` or its time is over, ${until}`}.`,
  passedBefore: (time: string) =>
    `No further user gets it: it had gone through its audience ${time}. What waits leaves, then it ends by itself.`,
  later: {
    localHour: (users: number) => `${counted(users, "waits", "wait")} for their hour`,
    quiet: (users: number) => `${counted(users, "waits", "wait")} for the end of their quiet hours`,
    pressure: (users: number) => `${counted(users, "waits", "wait")} because they got enough lately`,
  },
  laterOfThem: (waits: string) => `Of them, as of now, ${waits}.`,
  matched: "Match the audience",
  visitorsBeside: "Visitors who match, beside them",
  visitors: "Visitors",
  everyoneOf: { none: "all users", also: "all users and visitors", only: "all visitors" },
  metVisitors: { none: "", also: ", users and visitors", only: ", visitors only" },
  heldOut: "Held out by the goal",
  alreadyDelivered: "Queued for it or sent it before",
  overCap: {
    skip: "Left out: had as many mails as the cap allows",
    postpone: "Get it later, once the cap allows it, if the campaign still runs",
  },
  unreachable: unreachableReasons,
  willReceive: "Get it",
  refused: "It cannot launch now",
  refusedByRole:
    "In this project approvers launch campaigns. Ask one of them: the draft is here, and they see the same figures.",

  views: { message: "Message", results: "Results", deliveries: "Deliveries", why: "Why (not)?" },
  sections: "Parts of the campaign",
  funnel: "From message to goal",
  stats: {
    ...deliveryStates,
    frequencyCapped: deliveryStates.frequency_capped,
    unheard: "No report yet",
  },
  convertedWithin: (event: string, days: number) =>
    `Converted: users who did “${event}” within ${days === 1 ? "a day" : counted(days, "day")} after they met the message.`,
  convertedState: (count: number) =>
    `Among the deliveries, ${counted(count, "has", "have")} the state Converted. It has no window, wants a tap of a push, and can be reported by your pages.`,
  startsAt: (time: string) => `Starts ${time}. Numbers appear after that.`,
  liveSince: (time: string, numbers: string) => `Live since ${time}. ${numbers}`,
  firstNumbers: {
    web_inapp: "The first numbers appear at the next page view of a user whom it is for.",
    email: "The first numbers appear when the first mail has left.",
    push: "The first numbers appear when the first push has left.",
  },
  nothingYet: "Nothing was sent yet, so there is nothing to count.",
  notLeft: {
    localHour: (mails: number) =>
      `${counted(mails, "mail waits", "mails wait")} for the hour at which the campaign leaves for their reader.`,
    quiet: (mails: number) =>
      `${counted(mails, "mail waits", "mails wait")} for the end of the reader’s quiet hours.`,
    pressure: (mails: number) =>
      `${counted(mails, "mail waits", "mails wait")} because the reader got as many messages lately as the project, or the topic, allows.`,
    cap: (mails: number) =>
      `${counted(mails, "mail waits", "mails wait")} for the cap of recipients. Each leaves once the cap allows it, if the campaign still runs and the recipient still takes mail.`,
    withdrawn: (mails: number) =>
      `${counted(mails, "mail was", "mails were")} withdrawn: they waited for longer than the campaign has patience, or it ended before.`,
    ended: (mails: number) =>
      `${counted(mails, "mail never leaves", "mails never leave")}: the campaign ended before.`,
    suppressed: (mails: number) =>
      `${counted(mails, "mail was", "mails were")} left out, because the address got no more mail by then.`,
    unconfirmed: (users: number) =>
      `${counted(users, "user gets", "users get")} no mail before your server names the address that a page gave.`,
  },
  withdrawnFromStep: (mails: number) =>
    `${counted(mails, "mail was", "mails were")} withdrawn: they waited for longer than the campaign has patience, it ended before, or the user has left the journey.`,
  comparison: "What may be claimed",
  event: "Counted event",
  eventAbout: (days: number) =>
    `Counts until ${days === 1 ? "a day" : counted(days, "day")} after a user saw the message.`,
  noEvent: "Your users have done nothing that could be counted yet. Send events, then choose one here.",
  noGoal: "The campaign has no goal, so choose what counts as success.",
  variants: "Variants",
  variant: "Variant",
  users: "Users",
  rate: "Convert",
  bandTitle: (name: string) => `Lift of ${name} over time`,
  bandSays: (name: string, time: string, low: string, high: string | null) =>
    `The band around the lift of ${name}, by UTC day, and as of ${time}: now it reaches ${high === null ? `from ${low} upwards, without an upper end yet` : `from ${low} to ${high}`}; the line is no difference.`,
  noEnd: "open yet",
  noBand: "The band begins when users of both have converted, and have had their time for it.",
  day: "Day (UTC)",
  lower: "At least",
  upper: "At most",
  holdoutAbout: (percent: number) =>
    `The goal holds ${percent} % of users out. Here are those whose first message of the goal was of this campaign.`,
  age: (time: string, matured: string) =>
    `As of ${time}. Users who were exposed until ${matured} are counted in full; later ones still have time to convert.`,
  evaluatedAt: (time: string) => `As of ${time}`,
  countedTwice: (users: number, share: string) =>
    `${counted(users, "of these users is", "of these users are")} counted a second time (${share} of all): the same ${wordFor(users, "person", "people")} met this campaign before signing in, too. What such a person does counts for both, so no variant gains by it.`,

  takenOut: (names: string) => `Taken out: ${names}`,
  takenOutAbout: "No user gets these any more. What came of them stays.",
  sinceText: { text: "new text", control_text: "new text of the control" },
  since: (time: string, why: string) => `since ${time} (${why})`,
  earlier: "Earlier text",
  earlierAbout:
    "What was found before a text was changed. Users who saw it go on to count for it here, until their time to convert is over.",
  earlierText: "Text",
  earlierConverted: (users: string) => `${users} converted`,
  earlierFound: "What had been found",
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  unkeptText: "These words were not kept.",
  besideFormer: "with the former text of the control",
  whatUsersRead: "What users read",
  reachedBy: {
    shown: (users: number) => `Shown to ${usersOf(users)}`,
    sent: (users: number) => `Sent to ${usersOf(users)}`,
  },
  goesOut: "What they read",
  asControl: (variant: string) => `${variant} (control)`,
  holdsOut: (percent: number) => `The goal holds ${percent} % of users out: they get no message of it.`,
  noComparison: {
    alone: "One variant, so there is nothing to compare: a second one shows which text does better.",
    split: "Users do not get both the control and another variant, so nothing is compared.",
  },
  noGoalToCompare: "The campaign has no goal, so nothing says which text does better.",
  noEventToCompare: "Its goal counts no event, so nothing says which text does better.",
  noRoom: "So many users convert that no text can do much better.",
  canShow: (users: number, lift: string) =>
    `${usersOf(users)} can show a lift of ${lift} or more, if there is one.`,
  cannotShow: (users: number) => `${usersOf(users)} cannot show a difference`,
  needs: (lift: string, users: number) => `Even a lift of ${lift} needs about ${usersOf(users)}.`,
  rateAssumed: (rate: string) =>
    `How many convert is not known of this goal yet: ${rate} is taken for it, and with more of them fewer users are enough.`,
  rateKnown: (rate: string) => `So far ${rate} of the users who got a message of the goal have converted.`,
  goesTo: (percent: string, variant: string, title: string) => `${percent}, ${variant}: “${title}”`,

  user: "User",
  state: "State",
  queued: "Queued",
  last: "Last change",
  pushRecords: "Every push, attempt and answer, and what waits",
  noDelivery: "No delivery yet.",
  noDeliveryAbout: "Once the campaign runs, each user whom it reaches is listed here.",
  noDeliveries: "No delivery is like that.",
  everyState: "Every state",
  whyAbout:
    "Ask why one user gets this campaign, or does not. Each condition is decided by the rules that deliver.",
} as const;
