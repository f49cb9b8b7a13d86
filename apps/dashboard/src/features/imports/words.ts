import { counted, numberOf } from "../../platform/figures.ts";
import type { CellType, MeaningName, StopRule } from "./mapping.pure.ts";
import type { ImportFile, ImportKind, ImportPreset } from "./rules.ts";

const lines = (count: number): string => counted(count, "line");

export const words = {
  about:
    "Files of another tool, or tables of your own, with your users, what they did, and who gets no mail.",
  newFile: "Bring in a file",
  newFileAbout:
    "It is looked at first, then tried, and nothing is written before you say so. Nobody is active or billed because of it, and it sends no mail.",
  kind: "What is in the file?",
  kinds: {
    users: "Users",
    events: "What users did",
    suppressions: "People who get no mail",
  } satisfies Record<ImportKind, string>,
  kindsAbout: {
    users: "A line for each user: id, address, and what you know of them.",
    events: "A line for each event: who did what, and when.",
    suppressions: "Addresses that unsubscribed, bounced or complained. No mail goes to them from then on.",
  } satisfies Record<ImportKind, string>,
  choose: "Choose a file, or drop it here",
  chooseClosed: "Choose a file",
  chooseAbout: "CSV, JSON lines or Parquet, also packed with gzip",
  preparing: "The file is being read…",
  oneAtATime: "Drop one file at a time.",
  isEmpty: (name: string) => `${name} is empty.`,
  unreadable: (name: string) => `${name} cannot be read by this browser.`,
  tooLarge: (size: string) =>
    `The file is too large: it has ${size}. Split it, and bring in its parts one after the other.`,
  tools: {
    customerio: "Customer.io",
    braze: "Braze",
    onesignal: "OneSignal",
    listmonk: "listmonk",
    mailchimp: "Mailchimp",
    posthog: "PostHog",
    segment: "Segment",
    segment_calls: "Segment, calls",
  } satisfies Record<ImportPreset, string>,
  none: "No file was brought in yet.",
  noneAbout:
    "Exports of Customer.io, Braze, OneSignal, listmonk, Mailchimp, PostHog and Segment are known by their columns. Any other table works as well: as CSV, JSON lines or Parquet, also packed with gzip. You see what becomes of each column before anything is written.",
  noMatch: "There is no such page.",
  all: "All files",
  file: "File",
  what: "What",
  state: "State",
  came: "Changed something",
  refusedHead: "Not taken",
  made: "Begun",
  byAt: (name: string, time: string) => `${name}, ${time}`,
  states: {
    uploading: "Upload not finished",
    waiting: "Not started",
    running: "Being brought in",
    stopped: "Stopped",
    done: "Brought in",
    failed: "Cannot be read",
  },
  triedStates: { running: "Being tried", stopped: "Trial stopped", done: "Tried", failed: "Cannot be read" },
  share: (share: string) => `${share} read`,

  step: (place: number | null, title: string) => (place === null ? title : `${place}. ${title}`),
  theFile: "The file",
  begunBy: (kind: string, name: string, time: string) => `${kind}. Begun by ${name}, ${time}.`,
  uploading: (sent: string, all: string) => `Uploaded: ${sent} of ${all}.`,
  uploadBar: "Upload",
  uploadGoesOn: "It goes on while you look at other pages of Tidings, as long as this window is open.",
  uploadCut: "The upload was cut",
  uploadCutAbout: "The server could not be reached. What is there stays.",
  uploadGoOn: "Go on",
  uploadRefused: "The upload cannot go on",
  uploadPartly: "The upload is not finished",
  uploadPartlyAbout: (parts: number) =>
    `${counted(parts, "part is", "parts are")} there. Choose the same file again, and the rest is uploaded.`,
  uploadNone: "Nothing is there yet. Choose the same file again.",
  chooseAgain: (name: string) => `Choose ${name} again, or drop it here`,
  otherFile: {
    name: (name: string) => `That is another file: this one is called ${name}.`,
    size: (name: string) => `That is another file: ${name} had another size when it was begun.`,
    parts: (name: string) =>
      `That is another file: its beginning is not that of ${name}. Choose the one that was begun, or delete this one and begin anew.`,
  },
  formats: { csv: "Table (CSV)", ndjson: "JSON lines", parquet: "Parquet" },
  delimiters: {
    ",": "cells between commas",
    ";": "cells between semicolons",
    "\t": "cells between tabs",
    "|": "cells between bars",
  } as Readonly<Record<string, string>>,
  packed: "packed with gzip",
  columns: (count: number) => counted(count, "column"),
  onlyAlong: (along: number, all: number) =>
    `${numberOf(along)} of ${counted(all, "column comes", "columns come")} along.`,

  inIt: "What is in it",
  inItAbout: "What becomes of each column. Change it where it is not what you mean.",
  needsEditor: "Editors see the columns, and change what becomes of them.",
  tool: "Tool that wrote it",
  noTool: "None that is known",
  toolAbout: "Known by the columns. It says what they mean.",
  warnings: "To know before",
  column: "Column",
  samples: "For example",
  becomes: "Becomes",
  becomesOf: (column: string) => `What becomes of ${column}`,
  nameOf: (column: string) => `Name of ${column} in Tidings`,
  typeOf: (column: string) => `How ${column} is read`,
  meanings: {
    userId: "User id",
    email: "Email address",
    firstSeenAt: "First seen",
    event: "Name of the event",
    ts: "When it happened",
    eventId: "Id of the event",
    traits: "Trait",
    props: "Property of the event",
    eachTrait: "Traits, one for each name in it",
    eachProp: "Properties, one for each name in it",
    leftOut: "Left out",
  } satisfies Record<MeaningName, string>,
  ofUser: "Trait of the user",
  types: {
    text: "text",
    number: "number",
    boolean: "yes or no",
    time: "time",
    json: "list or object",
  } satisfies Record<CellType, string>,
  named: (meaning: string, name: string, type: string) => `${meaning} “${name}”, ${type}`,
  alsoRule: "Says who gets no mail",
  alsoSince: "Says since when",
  moreColumns: (count: number) => `Show ${counted(count, "more column")}`,
  idOf: "A line is about",
  ids: {
    column: "the user whose id it has",
    email: "a user whose id is the address",
    match: "the user who has the address already",
  },
  zone: "Times without a time zone are those of",
  same: "Two lines that are the same",
  sames: { event: "are one event, written twice", line: "are two events" },
  giveUp: "Undo my changes",

  left: "Who gets no mail",
  leftAbout:
    "Lines that are about somebody who left. They are brought in like all others, and no mail goes to their address from then on.",
  leftLines: "Which of these addresses get no mail",
  leftLinesAbout: "The first rule that fits a line counts.",
  rule: (count: number) => `Rule ${count}`,
  ruleColumn: "Column",
  ruleWhen: "It",
  whens: {
    true: "says yes",
    given: "is not empty",
    negative: "is below zero",
    texts: "is one of",
    always: "every line",
  },
  ruleTexts: "Texts, with commas between",
  ruleReason: "The address",
  reasons: {
    unsubscribed: "unsubscribed",
    bounced: "bounced",
    complained: "complained",
    manual: "was stopped by hand",
  } satisfies Record<StopRule["reason"], string>,
  ruleAt: "Since",
  ruleNow: "now",
  everyLineIs: (reason: string) => `The address of every line ${reason}.`,
  ruleSentence: (column: string, when: string, reason: string) =>
    `“${column}” ${when}: the address ${reason}.`,
  addRule: "Add a rule",
  removeRule: (count: number) => `Remove rule ${count}`,
  noRules: "Nothing in this file says who left.",
  elsewhere: "Where are those who left?",
  elsewhereAbout:
    "This file has addresses, and does not name everybody who unsubscribed. Who left your former tool must not get mail from this one.",
  elsewheres: {
    file: "In another file, which is brought in already",
    none: "Nobody left: everybody in this file may get mail",
  },
  otherImport: "File with those who left",
  noOtherImport:
    "There is none yet. Bring in the export of those who unsubscribed first, as “People who get no mail”, and come back.",
  leftInOther: "Those who left came with another file.",
  leftNone: "It was said that nobody left.",

  cameOf: "What came of it",
  bring: "Try it and bring it in",
  bringAbout: "To try it reads the whole file and says what would come of it. Nothing is written then.",
  try: "Try it",
  tryAgain: "Try it again",
  bringNow: "Bring in",
  goOn: "Go on",
  stop: "Stop",
  stopped: "It is stopped. What was read before stays.",
  lacks: {
    event: "Say which column is the name of the event.",
    ts: "Say which column is when it happened.",
    userId: "Say which column is the user id, or that a line is about the user of an address.",
    email: "Say which column is the email address.",
    stops: "Say which lines are about an address that gets no mail.",
    name: "A column comes along without a name.",
    ruleColumn: "A rule names no column.",
    ruleTexts: "A rule has no text to compare with.",
    twice: (name: string) => `Two columns become “${name}”.`,
    elsewhere: "Say first where those are who left.",
    nothing: "Nothing is known of its columns yet.",
  },
  confirmTitle: (name: string) => `Bring in ${name}?`,
  confirmTried: (written: number, refused: number) =>
    refused === 0
      ? `${lines(written)} will change something, as the trial showed.`
      : `${lines(written)} will change something, and ${counted(refused, "line is", "lines are")} not taken, as the trial showed.`,
  confirmUntried: "It was not tried as it is now, so nobody knows how many lines are taken.",
  confirmStay: {
    users:
      "Users who are there already keep what the file does not say. It launches no campaign; one that runs goes on to whoever matches.",
    events: "Events that are there already stay as they are. Nobody is active or billed because of them.",
    suppressions: "No mail goes to these addresses from then on. No address that is there already is let go.",
  } satisfies Record<ImportKind, string>,
  changedSince: "You changed something since it was tried: try it again.",
  triedAt: (name: string, time: string) => `Tried by ${name}, ${time}. Nothing was written.`,
  broughtAt: (name: string, time: string) => `Brought in by ${name}, ${time}.`,
  stoppedAt: (name: string, time: string) => `Started by ${name}, stopped ${time}.`,
  isRunning: (name: string) => `Started by ${name}. It goes on when you leave this page.`,
  isTrying: (name: string) => `Being tried, started by ${name}. It goes on when you leave this page.`,
  progress: "How far it is read",
  failedTitle: "The file cannot be read on",
  figures: {
    lines: "Lines",
    written: "Changed something",
    wouldWrite: "Would change something",
    known: "Known already",
    refused: "Not taken",
  },
  figuresAbout: {
    known: "It is so already.",
    refused: "The reasons are below.",
  },
  whyNot: "Why lines are not taken",
  reason: "Why",
  count: "Lines",
  firstLine: "First of them",
  saveRefused: "Save refused lines",
  saveRefusedAbout: (count: number) =>
    `A table with the number of each line and the reason${count > 10_000 ? ", of the first 10,000" : ""}. It is kept for 30 days.`,
  allTaken: "Every line is taken.",
  toUsers: "See the users",
  toEvents: "See the events",
  toStops: "See who gets no mail",
  columnsOf: "What became of its columns",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteAbout: {
    before: "The upload is deleted. Nothing of it was brought in.",
    after: "The file and its reasons are deleted here. What it brought in stays.",
  },
  deleted: "The file is deleted.",
  stopFirst: "Stop it first.",
} as const;

/** What a file is called by how far it is. */
export function stateWord({ state, isDryRun }: ImportFile, isUploading: boolean): string {
  if (isUploading) return words.states.uploading;
  return isDryRun && state !== "waiting" ? words.triedStates[state] : words.states[state];
}

/** How the server names fields to programs, in warnings, and how the page says the same. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/: name it as mapping\.[a-zA-Z]{1,40}\.$/, ": choose it below."],
  [
    / Set options\.id to match for users who are known already\.$/,
    ` Choose “${words.ids.match}” below for users who are there already.`,
  ],
];

/** A warning of the server as people read it. */
export const warningText = (warning: string): string =>
  IN_WORDS.reduce((text, [pattern, plain]) => text.replace(pattern, plain), warning);
