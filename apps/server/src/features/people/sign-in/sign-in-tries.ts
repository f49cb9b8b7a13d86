import { type AddressBudget, failedSignIns, signIns } from "../../../platform/http/budgets/address-budget.ts";
import { type BudgetBucket, refill, takeOne } from "../../../platform/http/budgets/budget.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { passwordChecks } from "./password-checks.ts";

/** The person or program that tries to sign in. `account` is a digest, null for a passkey; `browser` the id of one that has signed in to it before. */
export type Trier = { address: string; account: string | null; browser: string | null };

/** A try that is under way. It counts until it turns out to be right, so that many at once are no more than one after another. */
export type Try = {
  /** It was right, or said nothing of who tries: it does not count. */
  forgive(): void;
  /** It was wrong: goes into the log. */
  failed(): void;
};

const HOW = ["password", "passkey", "wrong", "refused"] as const;
type Outcome = (typeof HOW)[number];

export type SignInTries = {
  /** @throws ApiError rate_limited after too many wrong tries */
  begin(trier: Trier): Try;
  count(outcome: Outcome): void;
};

/** Lines a minute about wrong tries; further ones are counted in the next line. */
const LINES_A_MINUTE = 60;
const TOO_MANY = "Too many tries to sign in. Wait a little, then try again.";

export const signInTries = resource((app: App): SignInTries => {
  const { clock, log, metrics } = app;
  const [accounts, addresses] = [app.get(signIns), app.get(failedSignIns)];
  const count = metrics.counter("tidings_sign_ins_total", "What came of tries to sign in.", "outcome", HOW);
  const lines: BudgetBucket = { spent: 0, atMs: 0 };
  let unlogged = 0;

  /** What a try is taken from. Strangers have a budget by address and by account, a known browser one of its own. */
  function budgetsOf({ address, account, browser }: Trier): [AddressBudget, string][] {
    if (account === null) return [[addresses, address]];
    if (browser !== null) return [[accounts, `${account} ${browser}`]];
    return [
      [addresses, address],
      [accounts, account],
    ];
  }

  function tell({ address, account, browser }: Trier): void {
    refill(lines, LINES_A_MINUTE, clock());
    if (takeOne(lines, LINES_A_MINUTE) > 0) unlogged++;
    else {
      const about = { address, account, isKnown: browser !== null, ...(unlogged > 0 && { unlogged }) };
      log.warn(about, "somebody could not sign in");
      unlogged = 0;
    }
  }

  return {
    count,
    begin(trier) {
      const taken: [AddressBudget, string][] = [];
      const forgive = (): void => {
        for (const [budget, name] of taken) budget.refund(name);
      };
      for (const [budget, name] of budgetsOf(trier)) {
        const wait = budget.take(name, clock());
        if (wait > 0) {
          forgive();
          count("refused");
          throw new ApiError("rate_limited", TOO_MANY, { headers: { "retry-after": String(wait) } });
        }
        taken.push([budget, name]);
      }
      return {
        forgive,
        failed() {
          count("wrong");
          tell(trier);
        },
      };
    },
  };
});

/**
 * Has a password compared when it is its turn, unless too many were wrong before.
 * @throws ApiError rate_limited after too many wrong ones, unavailable where too many wait
 */
export async function tryPassword(
  app: App,
  trier: Trier,
  library: {
    compare: () => Promise<Response>;
    isWrong: (response: Response) => boolean | Promise<boolean>;
  },
): Promise<Response> {
  const tried = app.get(signInTries).begin(trier);
  const asker = { address: trier.address, isKnown: trier.browser !== null };
  const response = await app
    .get(passwordChecks)(asker, library.compare)
    .catch((cause: unknown) => {
      tried.forgive();
      throw cause;
    });
  if (await library.isWrong(response)) tried.failed();
  else tried.forgive();
  return response;
}
