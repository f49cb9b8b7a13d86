import { hash } from "node:crypto";
import { afterAddressBudget, signIns } from "../../platform/http/address-budget.ts";
import type { App } from "../../platform/runtime.ts";

const TOO_MANY = "Too many tries to sign in to this account. Wait a little, then try again.";

/** The name of an account in the budget of its sign-ins: a digest of its address. */
export const accountOf = (email: string): string => hash("sha256", email.trim().toLowerCase());

/**
 * Takes one try at the password of an account, at the sign-in or where the present password is asked for.
 * @throws ApiError rate_limited after too many
 */
export const takeTry = (app: App, account: string, now: number): void =>
  afterAddressBudget(app.get(signIns).take(account, now), TOO_MANY);

/** Gives a try back that brought the right password, or none. */
export const refundTry = (app: App, account: string): void => app.get(signIns).refund(account);
