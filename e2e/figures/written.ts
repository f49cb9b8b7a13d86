/** How the browser of the test writes numbers, in English and in UTC. */
const NUMBER = new Intl.NumberFormat("en-US");
const PERCENT = new Intl.NumberFormat("en-US", { style: "percent", maximumSignificantDigits: 3 });
const CHANGE = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const DAY = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", timeZone: "UTC" });
const TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

const EXACT = new Intl.DateTimeFormat("en-US", {
  dateStyle: "medium",
  timeStyle: "medium",
  timeZone: "UTC",
});

const YEAR_DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });
const SIZE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const KB = 1_024;

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

export const number = (value: number): string => NUMBER.format(value);
/** So many of a thing: 1 user, 2 users. */
export const things = (count: number, one: string, more = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : more}`;
/** A share (0.031): 3.1%. */
export const percent = (share: number): string => PERCENT.format(share);
/** A difference (0.12): +12%. */
export const change = (difference: number): string => CHANGE.format(difference);
export const day = (at: number): string => DAY.format(at);
/** With its year: Nov 29, 2026. */
export const yearDay = (at: number): string => YEAR_DAY.format(at);
/** Bytes of a small file: 1.23 KB. */
export const size = (bytes: number): string =>
  bytes < KB ? `${SIZE.format(bytes)} B` : `${SIZE.format(bytes / KB)} KB`;
export const time = (at: number): string => plain(TIME.format(at));
/** To the second. */
export const exactTime = (at: number): string => plain(EXACT.format(at));
export const json = (value: unknown): string => plain(JSON.stringify(value, null, 2));

/** The cells of a row, by the heads of their columns. */
export const row = (name: string, cells: Readonly<Record<string, string>>): string[] =>
  Object.entries(cells).map(([head, text]) => `${name} | ${head}: ${text}`);

/** What is said below a list. */
export function listOf(total: number, perPage: number): string[] {
  const pages = Math.ceil(total / perPage);
  if (total === 0) return [];
  return [`${number(total)} in all`, ...(pages > 1 ? [`Page 1 of ${number(pages)}`] : [])];
}
