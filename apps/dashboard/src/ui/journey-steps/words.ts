import { counted } from "../../platform/figures.ts";

export const words = {
  titles: {
    send: (channel: string, name: string) => `${channel} “${name}”`,
    wait: (span: string) => `Wait ${span}`,
    if: "If",
    split: "Split into paths",
    end: "End of the journey",
  },
  waits: {
    ofReader: (at: string) => `${at} of each reader`,
    inZone: (at: string, zone: string) => `${at} in ${zone}`,
    until: (hour: string, days: readonly string[]) =>
      `until ${hour}${days.length === 0 || days.length === 7 ? "" : `, on ${days.join(", ")}`}`,
    date: (days: number, trait: string, hour: string, yearly: boolean) => {
      const side = days < 0 ? "before" : "after";
      return `until ${days === 0 ? "" : `${counted(Math.abs(days), "day")} ${side} `}${trait}${yearly ? ", each year" : ""}, at ${hour}`;
    },
    orEvent: (event: string) => `or until they do ${event}`,
    days: { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" },
  },
  spans: {
    minutes: (count: number) => counted(count, "minute"),
    hours: (count: number) => counted(count, "hour"),
    days: (count: number) => counted(count, "day"),
  },
  dateAbout: (trait: string) =>
    `The date is read from “${trait}” of each user. If it has passed already, the wait is over at once. A user without one waits for it, and leaves after a year.`,
  soonerBy: (rule: string) => `Users go on sooner once they do ${rule}.`,
  nth: (place: string, title: string) => `${place}. ${title}`,
  sendAbout: {
    web_inapp: "Users go on at once. The message waits for them, and is shown when they next look at a page.",
    email: "Users stay here until the message has left, or cannot leave.",
    push: "Users stay here until the message has left, or cannot leave.",
  },
  toMessage: "Message, variants and figures",
  pausedStep: "Its message is paused: users who come here wait until it goes on.",
  endAboutStep: "Users who come here have finished.",
  ifYes: (summary: string) => `Users who match go on to the next step: ${summary}.`,
  ifAll: "Every user goes on to the next step.",
  ifNone: "Its audience cannot be read, so no user matches.",
  otherTo: (step: string) => `Everyone else goes to ${step}.`,
  otherToEnd: "Everyone else has finished.",
  armTo: (name: string, weight: string, to: string) => `${name}, with weight ${weight}: goes to ${to}.`,
  armToEnd: (name: string, weight: string) => `${name}, with weight ${weight}: has finished.`,
  armIsControl: "The others are compared with it.",
  comesFrom: (steps: string) => `Everyone else of ${steps} comes here.`,
  ofEvent: (event: string, conditions: readonly string[]) =>
    conditions.length === 0 ? `“${event}”` : `“${event}”, where ${conditions.join(" and ")}`,
} as const;
