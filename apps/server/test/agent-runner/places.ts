import type { PolicyName } from "./policies.ts";
import type { Passed } from "./proxy.ts";
import type { Fault, Mode, Plan, Played } from "./rounds.ts";

/** Rounds without a fault, which show what a runner requests that is left alone. */
export const withoutFault = (modes: readonly Mode[], policies: readonly PolicyName[]): Plan[] =>
  policies.flatMap((policy) =>
    modes.map((mode): Plan => ({ mode, policy, fault: null, peopleDecide: "late" })),
  );

/** All places at which a runner can meet a fault of some kinds, in the order of its work. */
export function placesOf(
  { mode, policy, passed }: Played,
  faults: readonly Pick<Fault, "kind" | "side">[],
  isWanted: (request: Passed) => boolean = () => true,
): Plan[] {
  return passed.flatMap((request, index) =>
    isWanted(request)
      ? faults.map(
          (fault): Plan => ({
            mode,
            policy,
            fault: { ...fault, at: index + 1 },
            peopleDecide: index % 2 === 0 ? "early" : "late",
          }),
        )
      : [],
  );
}
