import { userRef, uuidFor } from "../../../domain/ids.ts";
import { asHouse } from "../../../platform/http/contract/endpoint.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { isHeldOut, pointOf } from "../../deliveries/public.ts";
import { personOfUser } from "../../users/identities/public.ts";
import { mergeUser } from "../../users/profiles/public.ts";
import { traitChangesOf } from "../../users/profiles/rules.ts";
import { CUSTOMER_SINCE } from "../names.pure.ts";
import { randomNumbers } from "../random.pure.ts";
import { instantOf, visitAt } from "./calendar.pure.ts";
import type { House } from "./house.ts";
import { addressOf, type Customer, nameTried } from "./people.pure.ts";
import { HOLDOUT } from "./shop.pure.ts";

/** A customer with the id that they have in this project, and when they visit the shop (epoch ms, ascending). */
export type KnownCustomer = Customer & {
  userId: string;
  userKey: string;
  lane: number;
  visitsAt: readonly number[];
};

/** When a customer visits, epoch milliseconds, ascending. */
function visitsOf(now: number, { seed, visits }: Customer): number[] {
  const next = randomNumbers(seed);
  return visits.map((day) => visitAt(now, day, next(), next())).toSorted((a, b) => a - b);
}

/** Ids by which the campaigns with two variants, in the order of `sides`, and the goal with a holdout divide users. UUIDs. */
export type Dividing = { campaignIds: readonly string[]; goalId: string };

/**
 * Names the customers. A campaign gives a user the variant at a point that is computed from the ids of both, and its own id is new in every
 * month. So names are tried until one fits what was drawn: then the same seed has the same month everywhere.
 */
export function nameCustomers(
  { projectId, now }: Pick<House, "projectId" | "now">,
  customers: readonly Customer[],
  { campaignIds, goalId }: Dividing,
): KnownCustomer[] {
  const holdout = { goalId, holdoutPercent: HOLDOUT };
  return customers.map((customer) => {
    for (let tried = 0; ; tried++) {
      const userId = nameTried(customer, tried);
      const { lane, userKey } = userRef(projectId, userId);
      const fits =
        isHeldOut(holdout, userKey) === customer.isHeldOut &&
        campaignIds.every((id, index) => Number(pointOf(id, userKey) >= 0.5) === customer.sides[index]);
      if (fits) return { ...customer, userId, userKey, lane, visitsAt: visitsOf(now, customer) };
    }
  });
}

/** When a customer came first, epoch milliseconds: at their first visit, or so many days before the month. */
export const joinedAt = (now: number, { joinsOn, number, visitsAt }: KnownCustomer): number =>
  joinsOn < 0 ? instantOf(now, joinsOn, number % 24) : (visitsAt[0] ?? now);

/** What the shop's server says of a customer. */
const traitsOf = (now: number, customer: KnownCustomer) => ({
  name: `${customer.firstName} ${customer.lastName}`,
  first_name: customer.firstName,
  email: addressOf(customer),
  city: customer.city,
  plan: customer.plan,
  favourite: customer.favourite,
  newsletter: customer.getsNewsletter,
  [CUSTOMER_SINCE]: new Date(joinedAt(now, customer)).toISOString().slice(0, 10),
});

/** Makes customers known when they join, as the shop's server would; those of before as history, at the beginning of the month. */
export async function identifyCustomers(house: House, customers: readonly KnownCustomer[]): Promise<void> {
  const { app, projectId, now } = house;
  const periodOf = await activePeriods(app, projectId);
  await Promise.all(
    customers.map((customer) => {
      const at = joinedAt(now, customer);
      const isHistory = customer.joinsOn < 0;
      const ctx = { app, db: app.database.kysely, now: isHistory ? instantOf(now, 0) : at, projectId };
      const traits = traitsOf(now, customer);
      const changes = traitChangesOf(JSON.stringify(traits), traits);
      const seen = isHistory
        ? { firstSeenAt: at, period: null }
        : { firstSeenAt: null, period: periodOf(at) };
      return mergeUser(
        { ...ctx, ...asHouse("secret") },
        { person: personOfUser(ctx.projectId, customer.userId), changes, ...seen },
      );
    }),
  );
}

/** The UUIDs behind ids of the API. */
export const campaignUuid = (id: string): string => uuidFor("cmp", id);
export const goalUuid = (id: string): string => uuidFor("goal", id);
