import type { CampaignDetail } from "../../platform/api-types.ts";
import { counted } from "../../platform/figures.ts";

/** When on a day the messages of an email or push campaign leave. */
export type HourOfCampaign = NonNullable<CampaignDetail["sendTime"]>;
export type Weekday = NonNullable<HourOfCampaign["weekdays"]>[number];
/** What says when the messages of a campaign leave. */
export type Timing = Pick<CampaignDetail, "sendTime" | "priority" | "patienceHours" | "urgent">;

/** What the API has in the place of a zone for that of each reader. */
export const READERS_ZONE = "user";

/** The time with which a form begins. */
export const MORNING: HourOfCampaign = { at: "09:00", zone: READERS_ZONE };

/** What forms call the parts of a time of the day. */
export const timeOfDayWords = {
  at: "Time of the day",
  zone: "Time zone",
  readersZone: "That of each reader",
  oneZone: "One zone for all readers",
  weekdays: "Days",
  weekdaysAbout: "Choose none for every day.",
} as const;

/** What campaigns have of which a request says nothing. */
export const USUAL_TIMING: Timing = { sendTime: null, priority: 3, patienceHours: 72, urgent: false };

/** The days of a week, in their order. */
export const weekdayNames: Readonly<Record<Weekday, string>> = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};

export const WEEKDAYS = Object.keys(weekdayNames) as Weekday[];

/** Days in the order of the week. */
export const weekdaysInOrder = (days: readonly Weekday[]): Weekday[] =>
  WEEKDAYS.filter((day) => days.includes(day));

/** Some days in words, such as `Monday to Friday`; null for all of them. */
function describeDays(days: readonly Weekday[]): string | null {
  if (days.length === 0 || days.length === WEEKDAYS.length) return null;
  const ordered = weekdaysInOrder(days);
  const names = ordered.map((day) => weekdayNames[day]);
  const [first, last] = [names[0], names.at(-1)];
  const from = WEEKDAYS.indexOf(ordered[0] ?? "mon");
  const isRun = ordered.every((day, index) => day === WEEKDAYS[from + index]);
  if (isRun && ordered.length > 2) return `${first} to ${last}`;
  return names.length === 1 ? `${first}` : `${names.slice(0, -1).join(", ")} and ${last}`;
}

/** When the messages of a campaign leave, in words. */
export function describeSendTime(sendTime: HourOfCampaign | null): string {
  if (sendTime === null) return "Leaves at once";
  const { at, zone, weekdays = [] } = sendTime;
  const where = zone === READERS_ZONE ? "in the time zone of each reader" : `in the zone ${zone}`;
  const days = describeDays(weekdays);
  return `Leaves at ${at} ${where}${days === null ? "" : `, ${days}`}`;
}

/** The same in sentences, with what else is not as usual. */
export function describeTiming({ sendTime, priority, patienceHours, urgent }: Timing): string {
  const sentences = [
    `${describeSendTime(sendTime)}.`,
    urgent && "It is urgent: neither quiet hours nor what else a reader got keep it.",
    priority !== USUAL_TIMING.priority && `Its priority is ${priority} of 5.`,
    patienceHours !== USUAL_TIMING.patienceHours &&
      `What has to wait is withdrawn after ${counted(patienceHours, "hour")}.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isSendTime = (value: unknown): value is HourOfCampaign =>
  isRecord(value) && typeof value.at === "string" && typeof value.zone === "string";

const isWeekday = (value: unknown): value is Weekday => WEEKDAYS.some((day) => day === value);

/** A value of a change, by its path, of what says when a campaign leaves; null for one of another field. What is not said is as usual. */
export function describeTimingValue(path: string, value: unknown): string | null {
  switch (path) {
    case "sendTime":
      return describeSendTime(isSendTime(value) ? value : null);
    case "sendTime.zone":
      return value === READERS_ZONE ? "that of each reader" : String(value);
    case "sendTime.weekdays":
      return describeDays(Array.isArray(value) ? value.filter(isWeekday) : []) ?? "every day";
    case "priority":
    case "patienceHours":
      return String(value ?? USUAL_TIMING[path]);
    case "urgent":
      return value === true ? "yes" : "no";
    default:
      return null;
  }
}
