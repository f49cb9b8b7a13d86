import { randomNumbers } from "../random.pure.ts";
import { MONTH_DAYS } from "./calendar.pure.ts";

const FIRST_NAMES =
  "Ada Amir Anna Ben Bo Carla Chen Clara Dario Diego Ella Emil Farah Finn Freya Grace Hana Hugo Ines Ivan Jana Jonas Kira Lars Lea Lin Luca Mara Max Mei Mila Nils Nora Omar Oskar Paula Pia Rosa Sam Sara Sven Tara Theo Tom Uma Vera Yuki Zoe".split(
    " ",
  );
const LAST_NAMES =
  "Abel Berg Castro Dahl Engel Fischer Garcia Haas Ibsen Jansen Keller Lindt Moreau Novak Olsen Park Quist Rossi Sato Tanaka Ueda Vogel Weber Yilmaz Zeman".split(
    " ",
  );
const CITIES = ["Berlin", "Lisbon", "Oslo", "Vienna", "Zurich", "Copenhagen", "Springfield", "Ghent"];
const COFFEES = ["Morning Blend", "Night Shift", "Slow Sunday"];

/** Which side of a campaign with two equal variants a customer is on: 0 has the control. */
export type VariantSide = 0 | 1;

/** A customer of the shop, as the seed draws them: all but the id, which follows from the ids of the campaigns. */
export type Customer = {
  number: number;
  firstName: string;
  lastName: string;
  city: string;
  favourite: string;
  plan: "single bags" | "monthly" | "weekly";
  getsNewsletter: boolean;
  hasApp: "ios" | "android" | null;
  /** The day of the month on which they come first; negative for customers of before. */
  joinsOn: number;
  /** Days of the month on which they visit the shop, from `joinsOn` on, ascending; one may be there twice. */
  visits: readonly number[];
  isHeldOut: boolean;
  sides: readonly VariantSide[];
  seed: number;
};

const SEED = 71;
/** Customers who came before the month, of all. */
const OF_BEFORE = 0.4;
const LONGEST_CUSTOMER_DAYS = 400;

const one = <T>(choices: readonly T[], share: number): T => {
  const found = choices[Math.floor(share * choices.length)];
  if (found === undefined) throw new Error("There is nothing to choose from.");
  return found;
};

/** Visits of a customer in a month: most come once or twice, a few come every other day. */
const visitsOf = (share: number): number => 1 + Math.floor(-2.8 * Math.log(1 - 0.995 * share));

/** Draws so many customers. @param campaigns how many campaigns with two variants there are @param holdout its share, 0 to 1 */
export function drawCustomers(count: number, campaigns: number, holdout: number): Customer[] {
  return Array.from({ length: count }, (_, number): Customer => {
    const next = randomNumbers(SEED + 7_919 * number);
    const joinsOn =
      next() < OF_BEFORE ? -Math.ceil(next() * LONGEST_CUSTOMER_DAYS) : Math.floor(next() * MONTH_DAYS);
    const from = Math.max(0, joinsOn);
    // Customers who come late in the month have the fewer days to come again.
    const visits = Array.from({ length: visitsOf(next()) }, () => ({
      day: from + Math.floor(next() * (MONTH_DAYS - from)),
      isInMonth: next() < (MONTH_DAYS - from) / MONTH_DAYS,
    })).flatMap(({ day, isInMonth }) => (isInMonth ? [day] : []));
    const plan = next();
    const app = next();
    return {
      number,
      firstName: one(FIRST_NAMES, next()),
      lastName: one(LAST_NAMES, next()),
      city: one(CITIES, next()),
      favourite: one(COFFEES, next()),
      plan: plan < 0.62 ? "single bags" : plan < 0.87 ? "monthly" : "weekly",
      getsNewsletter: next() < 0.45,
      hasApp: app < 0.06 ? "ios" : app < 0.1 ? "android" : null,
      joinsOn,
      // A customer who joins is there on that day.
      visits: (joinsOn < 0 ? visits : [joinsOn, ...visits.slice(1)]).toSorted((a, b) => a - b),
      isHeldOut: next() < holdout,
      sides: Array.from({ length: campaigns }, (): VariantSide => (next() < 0.5 ? 0 : 1)),
      seed: Math.floor(next() * 2 ** 31),
    };
  });
}

/** The id that is tried for a customer as the `tried`-th one. */
export const nameTried = ({ number }: Customer, tried: number): string =>
  `cust-${10_000 + number}-${tried.toString(36).padStart(2, "0")}`;

/** The address of a customer: in a domain that no customer can have. */
export const addressOf = ({ firstName, lastName, number }: Customer): string =>
  `${firstName}.${lastName}.${number}@example.com`.toLowerCase();
