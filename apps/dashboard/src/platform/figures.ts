import { wordFor } from "@tidings/client/text";

const NUMBER = new Intl.NumberFormat();
const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumSignificantDigits: 3 });
const CHANGE = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

export const numberOf = (value: number): string => NUMBER.format(value);

/** So many of a thing, as a person reads it: `1 user`, `1,200 users`. */
export const counted = (count: number, one: string, more?: string): string =>
  `${numberOf(count)} ${wordFor(count, one, more)}`;

/** A share (0.031) as a person reads it: 3.1 %. */
export const percentOf = (share: number): string => PERCENT.format(share);

/** A difference (0.12) with its sign: +12 %. */
export const formatDifference = (difference: number): string => CHANGE.format(difference);
