import { ALPHA, compare } from "./compare.pure.ts";
import { addUp, sumOver, tallyOf } from "./counts.pure.ts";
import { rateOf } from "./rates.pure.ts";
import {
  reportedComparison,
  reportedCounts,
  reportedEstimate,
  reportedSampleRatio,
} from "./reported.pure.ts";
import { sampleRatioLogE } from "./sample-ratio.pure.ts";
import type { Holdout } from "./schema.ts";

/** Users by side, by how many per cent were held out at their first contact, and by the day on which their window ended (null: not yet). */
export type Contacts = {
  side: "served" | "withheld";
  percent: number;
  day: number | null;
  exposed: number;
  converted: number;
};

/** What the messages of a goal did together: those who were served beside those who were held out. `percent` is what is held out now. */
export function holdoutOf({
  contacts,
  percent,
  minimumLift,
}: {
  contacts: readonly Contacts[];
  percent: number;
  minimumLift: number;
}): Holdout {
  // The share that is held out takes the place of the epoch: under the same share, everybody had the same chance.
  const cells = contacts.map(({ side, percent: epoch, ...counts }) => ({
    ...counts,
    variantId: side,
    epoch,
  }));
  const matured = tallyOf(cells.filter(({ day }) => day !== null));
  const pending = tallyOf(cells.filter(({ day }) => day === null));
  const all = addUp(matured, pending);
  const percents = [...new Set(contacts.map((each) => each.percent))].filter((each) => each > 0);
  const strata = percents.map((each) => ({
    arm: matured("served", each),
    other: matured("withheld", each),
    share: 1 - each / 100,
  }));
  const logRatio = sampleRatioLogE(
    percents.map((each) => [
      { users: all("served", each).exposed, weight: 100 - each },
      { users: all("withheld", each).exposed, weight: each },
    ]),
  );
  const sideOf = (side: string): Holdout["served"] => {
    const done = sumOver(percents, side, matured);
    return {
      matured: reportedCounts(done),
      pending: reportedCounts(sumOver(percents, side, pending)),
      rate: reportedEstimate(rateOf(done.converted, done.exposed, ALPHA)),
    };
  };
  return {
    percent,
    served: sideOf("served"),
    withheld: sideOf("withheld"),
    withoutHoldout: {
      matured: reportedCounts(matured("served", 0)),
      pending: reportedCounts(pending("served", 0)),
    },
    ...reportedComparison(compare(strata, { comparisons: 1, minimumLift })),
    threshold: 1 / ALPHA,
    sampleRatio: reportedSampleRatio(logRatio),
  };
}
