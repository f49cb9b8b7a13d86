import { counted, numberOf } from "../../platform/figures.ts";

export const words = {
  about:
    "Your own server learns what happens here: each thing is sent to an address of yours, signed, within seconds.",
  make: "Add a webhook",
  none: "There is no webhook yet.",
  noneAbout:
    "A webhook tells a server of yours what happens, such as that a user clicked, or that an address gets no mail any more. Use it to keep your CRM, your data or your product in step, without looking here again and again.",
  all: "All webhooks",
  address: "Address",
  subscription: "What it is about",
  state: "State",
  waitingHead: "Waiting",
  lastSuccess: "Last success",
  never: "none yet",
  mostWaiting: (count: number) => `more than ${numberOf(count)}`,
  standings: { on: "on", failing: "failing", off: "off" },
  failingSince: (since: string) => `since ${since}`,
  offWords: {
    person: "by a person",
    gone: "its server is gone",
    failing: "nothing arrived",
    flooded: "too much waits",
    brought: "no secret yet",
  },
  subscriptions: {
    all: "everything",
    others: "all but deliveries",
    othersAnd: (count: number) => `all but deliveries, and ${typesWord(count)} of deliveries`,
    some: (count: number) => typesWord(count),
  },

  form: {
    url: "Address",
    urlAbout: "An https:// address of your server, which takes POST requests.",
    description: "What it is for",
    descriptionAbout: "For the people here. It may be left out.",
    types: "What it is about",
    noType: "Choose one thing or more.",
    others: "All but deliveries",
    othersAbout:
      "Also what a later version of Tidings adds. These are rare, but for new users and changed traits.",
  },
  groups: {
    deliveries: "Deliveries",
    addresses: "Addresses",
    users: "Users",
    campaigns: "Campaigns",
    agent: "Agent",
    imports: "Imports",
    syncs: "Syncs",
  },
  groupsAbout: {
    deliveries: "As many messages as your campaigns have.",
    addresses: null,
    users: "With what is known of the user.",
    campaigns: null,
    agent: null,
    imports: null,
    syncs: null,
  } as Readonly<Record<string, string | null>>,
  makeTitle: "Add a webhook",
  makeNow: "Add",
  change: "Change",
  changeTitle: "Change this webhook",
  save: "Save",
  saved: "The webhook is changed.",
  made: "The webhook is on. From now on, what happens is sent there.",

  secret: "Secret",
  secretShown: "Copy the secret now: it is shown this once.",
  secretAbout:
    "Each message is signed with it. Give it to whoever looks after the server, so that it believes nobody else.",
  close: "Close",
  rotate: "New secret",
  rotateAbout:
    "Messages are signed with both secrets for the time that you choose, so that your server can take the new one without a gap. A secret that was still signing beside the present one ends now.",
  rotateFirst: "It has no secret here yet. Your server needs the one that you make now.",
  grace: "The present one signs for",
  rotateNow: "Make a new secret",
  formerUntil: (at: string) => `The former one signs until ${at}.`,
  formerEnded: "The former one signs no more.",
  formerSigns: (at: string) => `A former secret signs beside the present one until ${at}.`,

  succeeded: (at: string) => `Last success: about ${at}.`,
  neverSucceeded: "No attempt has succeeded yet.",
  waits: (count: number) =>
    count === 0 ? "Nothing waits." : `${counted(count, "message")} ${count === 1 ? "waits" : "wait"}.`,
  waitMore: (count: number) => `More than ${counted(count, "message")} wait.`,
  failing: {
    title: (since: string) => `It has been failing since ${since}`,
    about:
      "Each message is tried again, with longer and longer pauses, for about three days; then it is given up. Mend the address or the server, and send a test. Five days without a success switch the webhook off.",
  },
  off: {
    person: {
      title: (since: string) => `A person switched it off, ${since}`,
      about: "What happens meanwhile is not kept for it. What waited before leaves once it is on again.",
    },
    gone: {
      title: (since: string) =>
        `It is off since ${since}: its server answered that it does not exist any more`,
      about:
        "What happens meanwhile is not kept for it. Correct the address with Change and switch it on, or delete it.",
    },
    failing: {
      title: (since: string) => `It is off since ${since}: nothing arrived there for five days`,
      about:
        "What happens meanwhile is not kept for it. Mend the server or the address, switch it on, and send again what was given up. For the time in between, look at the lists of users, messages and addresses.",
    },
    flooded: {
      title: (since: string) => `It is off since ${since}: more than a million messages waited`,
      about:
        "Its server takes less than happens. Have it answer faster, or choose fewer types with Change; then switch it on. What waits leaves then; what happens meanwhile is not kept for it.",
    },
    brought: {
      title: "It is off: it came with a project from a file, and has no secret here",
      about:
        "The server that the file comes from may still send to this address. Make a new secret, give it to your server, and switch it on.",
    },
  },
  fault: (fault: string) => `The last attempt: ${fault}`,
  isAbout: (subscription: string) => `What it is about: ${subscription}.`,

  test: "Send a test",
  tested: "The test is on its way.",
  offFirst: "It is off: switch it on first.",
  switchOn: "Switch on",
  switchOff: "Switch off",
  switchedOn: "The webhook is on.",
  switchedOff: "The webhook is off.",
  secretFirst: "It has no secret yet: make a new one first.",
  switchOnTitle: "Switch this webhook on?",
  switchOnAbout: (count: number) =>
    count === 0
      ? "From now on, what happens is sent there."
      : `From now on, what happens is sent there. ${counted(count, "message")} that ${count === 1 ? "waits leaves" : "wait leave"} at once.`,
  switchOffTitle: "Switch this webhook off?",
  switchOffAbout:
    "Nothing is sent there until it is on again, and what happens meanwhile is not kept for it. What waits already stays.",
  delete: "Delete",
  deleteTitle: "Delete this webhook?",
  deleteAbout: (count: number) =>
    count === 0
      ? "Nothing is sent there any more, and what is known of its messages goes. Nothing brings it back."
      : `${counted(count, "message")} that ${count === 1 ? "waits is" : "wait are"} not sent any more, and what is known of its messages goes. Nothing brings it back.`,
  deleted: "The webhook is deleted.",

  messages: "Messages",
  messagesAbout: "What was sent, or waits to be. Each is kept for 30 days.",
  type: "What happened",
  when: "When",
  attempts: "Attempts",
  lastAnswer: "Last answer",
  openOf: (what: string, at: string) => `${what} ${at}`,
  states: { waiting: "waiting", sending: "being sent", delivered: "delivered", given_up: "given up" },
  anyState: "all",
  noMessages: "Nothing was sent yet.",
  noMessagesAbout: "Send a test to see that your server answers.",
  noMatch: "No message is in this state.",
  isTest: "A test.",
  whileOff: "until the webhook is on again",
  due: (at: string) => `next attempt ${at}`,
  behind: "waits for an earlier one about the same thing",
  gap: "after one that was given up",
  answered: (status: number) => `answered ${status}`,
  noAnswer: "no answer",
  notTried: "not tried yet",

  fact: (label: string, value: string) => `${label}: ${value}`,
  messageAbout: {
    id: "Its id, as your server reads it",
    happened: "Happened",
    ended: "Delivered",
    givenUp: "Given up",
    due: "Next attempt",
    replayed: "Sent again",
    off: "The webhook is off. It leaves once that is on again.",
    gap: "An earlier message about the same thing was given up, so your server may not know of that change. Send that one again.",
    behind:
      "It waits for an earlier message about the same thing, so that your server learns of them in order.",
  },
  attemptsOf: "Attempts, newest first",
  noAttempts: "It was not tried yet.",
  milliseconds: (ms: number) => `${numberOf(ms)} ms`,
  answer: "What it answered",
  sendAgain: "Send again",
  sentAgain: "It is sent again.",
  notEnded: "It waits to be sent.",

  replay: "Send again what was given up",
  replayAbout:
    "Messages that were given up are sent once more, the first ones first. Each keeps its id, so that your server may know those that it has.",
  since: "What happened since",
  sinceAbout: (zone: string) => `A time in ${zone}. Messages are kept for 30 days.`,
  replayNow: "Send again",
  replayed: (count: number) =>
    count === 0
      ? "Nothing was given up in that time."
      : `${counted(count, "message is", "messages are")} sent again.`,
  replayMore: "There are more of them: press once more.",
} as const;

function typesWord(count: number): string {
  return counted(count, "type");
}
