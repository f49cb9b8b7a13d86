import type { Purpose } from "./rules.ts";

/** The days of a week, as requests name them; the first is Monday, as in ISO 8601. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** When on a day messages leave: at `09:00` of each reader (zone `user`) or of one zone; without days on any. */
export type SendTime = {
  at: string;
  zone: string;
  weekdays?: (typeof WEEKDAYS)[number][] | undefined;
};

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 3;

/** Whether a day, whose beginning is given as clocks show it, is one of these; without any, each is. */
export const isOnWeekday = (weekdays: SendTime["weekdays"], day: number): boolean =>
  weekdays === undefined || weekdays.includes(WEEKDAYS[(day / DAY_MS + FIRST_WEEKDAY) % 7] ?? "mon");

/** In the place of a zone: that of each reader. */
export const READERS_ZONE = "user";

/** When the messages of a campaign leave, as a request says it. */
export type Timing = { sendTime: SendTime | null; priority: number; patienceHours: number; urgent: boolean };

/** The same as the sending of it needs it. `deliverFrom`: when delivery begins (epoch ms); null is at once. */
export type CampaignTiming = Timing & { deliverFrom: number | null };

/** What campaigns have of which a request says nothing. */
export const DEFAULT_TIMING: Timing = { sendTime: null, priority: 3, patienceHours: 72, urgent: false };

const isDefault = (field: keyof Timing, value: unknown): boolean => value === DEFAULT_TIMING[field];

/** Why a campaign may not have what a request says of its timing, or null. @param channel as the API spells it */
export function timingFault(
  channel: string,
  purpose: Purpose,
  timing: { readonly [Field in keyof Timing]?: Timing[Field] | undefined },
): string | null {
  if (channel !== "web_inapp" && purpose === "marketing") return null;
  const fields = Object.keys(DEFAULT_TIMING) as (keyof Timing)[];
  const strange = fields.find((field) => timing[field] !== undefined && !isDefault(field, timing[field]));
  return strange === undefined
    ? null
    : `${strange} is for email and push campaigns only, and not for transactional ones: leave it out`;
}

/** The timing as digests name it: only what is not as in campaigns from before it existed. */
export const timingIfSet = ({ sendTime, priority, patienceHours, urgent }: Timing): Partial<Timing> =>
  Object.fromEntries(
    Object.entries({ sendTime, priority, patienceHours, urgent }).filter(
      ([field, value]) => !isDefault(field as keyof Timing, value),
    ),
  );
