import { counted } from "../../../platform/figures.ts";
import { onceWords } from "../../../ui/campaigns/once-words.ts";
import { visitorsWords } from "../../../ui/campaigns/visitors-words.ts";

export const words = {
  newAbout:
    "Write it, see it as one of your users gets it, and count exactly whom it is for. It reaches no user before you launch it.",
  templateRuns:
    "It is live, and in this project changing that takes an approver. Pause it first to change it, or ask an approver.",
  templateApplyAbout:
    "They hold from the next request on. What was requested before leaves with the text that it has then.",
  templateEnded: "It has ended, so it stays as it was. Make another one instead.",
  backToTemplate: "Back to the template",
  ended: "It has ended, so it stays as it was. Duplicate it to write another one.",
  stepAbout: "Whom it is for, from when to when, and for which goal its journey says.",
  edit: (name: string) => `Edit ${name}`,
  back: "Back to the campaign",
  backToAll: "All campaigns",
  channel: "Channel",
  channels: {
    web_inapp: "In the app: a toast or a modal on your pages",
    email: "Email",
    push: "Push: a notification on phones and in browsers",
  },
  name: "Name",
  nameAbout: "Your users never see it.",
  make: "Save as a draft",
  startOver: "Start over",
  made: "The draft is saved. From now on it saves itself.",

  saved: "Saved",
  saving: "Saving …",
  unsaved: "Not saved yet",
  saveNow: "Save now",
  notSaved: "Not saved",
  needsApprover:
    "It runs, and in this project changing that takes an approver. Pause it first to change it, or ask an approver.",
  runs: "It runs, so your changes gather until you apply them.",
  gathered: (count: number) => counted(count, "change waits", "changes wait"),
  review: "Look at the changes",
  discard: "Discard",
  apply: "Apply",
  applyTitle: "Apply these changes?",
  applied: "The changes are applied.",
  applyAbout:
    "They hold from the next page view, mail or push on. What was delivered already stays as it was.",
  audienceThen: (matched: number, left: number) =>
    `It is for ${counted(matched, "user")} then, of whom ${counted(left, "has", "have")} not got it yet.`,
  ofThemTopic: "Of these, only readers who want the topic get it.",
  willBeOnce:
    "It goes through its audience once more, now. Whoever matches and has not got it gets it. Then it ends by itself, and whoever matches later gets nothing.",
  willGoOn: "It goes on to whoever matches later, until you end it or its time is over.",
  lapsesApproved: "A change that people have approved lapses: it was for the campaign as it is now.",
  lapsesPending: "What an agent proposes can only be rejected then: it is for the campaign as it is now.",
  lapsing: "Look at the proposal",
  asVariant: (nth: string) => `Make it a ${nth} variant instead`,
  ordinals: ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
  otherGoal:
    "With another goal everything is counted again, by what that goal counts. All users still count.",
  keep: "Go on editing",
  fields: {
    channel: "Channel",
    name: "Name",
    variants: "Variants",
    push: "App and devices",
    audience: "Audience",
    visitors: visitorsWords.field,
    once: onceWords.field,
    pages: "Pages",
    goalId: "Goal",
    topicId: "Topic",
    deliverFrom: "From",
    deliverUntil: "Until",
    sendTime: "Leaves",
    priority: "Priority",
    patienceHours: "Patience",
    urgent: "Urgent",
    template: "Template",
  },

  staleTitle: "This campaign was changed meanwhile",
  staleAbout: (fields: string) =>
    fields === ""
      ? "Yours says the same."
      : `It differs from yours in: ${fields}. Nothing is lost yet: keep yours, or take what is there now.`,
  staleStatus: (status: string) => `It is ${status} now.`,
  mine: "Keep mine",
  theirs: "Take theirs",

  message: "Message",
  variant: (name: string) => `Variant ${name}`,
  variants: "Variants",
  addVariant: "Add a variant",
  mostVariants: "A campaign has 10 variants at most, those that were removed among them.",
  removeVariant: (name: string) => `Remove variant ${name}`,
  stays: {
    control: "The others are compared with the control, so it stays. Make another variant the control first.",
    delivered:
      "Users have got it, so it stays, and so do its figures. Give it the weight 0, and no further user gets it.",
  },
  takenOut: (name: string) => `Variant ${name} was removed: no user gets it.`,
  bringBack: "Bring it back",
  variantName: "Name of the variant",
  weight: "Weight",
  weightAbout: (percent: string) => `${percent} of users. With 0 it gets no further users.`,
  control: "Control",
  controlAbout: "The others are compared with it.",

  audience: "Audience",

  delivery: "Where, when and what for",
  topic: "Topic",
  topicAbout: "Only readers who want the topic get it, and who unsubscribes leaves this topic only.",
  noTopic: "About everything",
  from: "Deliver from",
  until: "Deliver until",
  zone: (zone: string) => `Times in ${zone}. Empty: no bound.`,

  whenItLeaves: "When it leaves",
  timing: {
    leaves: "Leaves",
    atOnce: "At once",
    atOnceAbout: "As soon as a user gets it, by day and by night, unless quiet hours have it wait.",
    atHour: "At a time of the day",
    atHourAbout:
      "Each message waits for the time. Readers for whom it is over on the first day get it at once then; whoever matches later gets it the next time.",
    priority: "Priority",
    priorityAbout: "Of several messages that are due for one reader, the one with the highest goes first.",
    priorities: { 1: "1, the lowest", 2: "2", 3: "3, as usual", 4: "4", 5: "5, the highest" },
    patience: "Patience (hours)",
    patienceAbout:
      "A message that has to wait for so long, for quiet hours or because its reader got enough lately, is withdrawn.",
    urgent: "Urgent",
    urgentAbout:
      "Leaves in quiet hours, and whatever else the reader got lately. What readers chose is kept all the same.",
  },

  preview: "Preview",
  previewAbout: "Drawn by the code that delivers it.",
  pushAbout: "Filled by the code that delivers it; the device draws it in its own way.",
  ofBefore: "As of your last complete text.",
  nothingToShow: "Write something, and it is drawn here.",

  test: "Send a test",
  testTitle: "Send a test",
  testAbout: "It is not counted, and no user gets it.",
  address: "Address",
  device: "Device",
  deviceAbout: "The id of a device of yours; test devices bind to you.",
  send: "Send",
  testSent: (to: string) => `Test sent to ${to}.`,
  testCaught: (to: string) => `The test for ${to} did not leave this server.`,
} as const;
