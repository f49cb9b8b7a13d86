import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { type CountedFacts, compile } from "../../../audience/language/engines/compile.pure.ts";
import { Needs } from "../../../audience/language/engines/needs.pure.ts";
import { readFactsOfMany } from "../../../audience/language/public.ts";
import { readSome } from "../../../settings/public.ts";
import { clockNamed } from "../../../timing/reader-clock.pure.ts";
import { timingSettings } from "../../../timing/settings.pure.ts";
import type { Definition } from "../../authoring/schema.ts";
import type { Step } from "../../authoring/steps.pure.ts";
import type { Facts } from "../../authoring/walk.pure.ts";
import { waitEndOf } from "./waits.pure.ts";

/** What steps have to know of a user. */
export type Known = Pick<Facts, "meets" | "waitEnd">;

/** Whether a step has to know anything of a user. */
const isAboutUser = (step: Step): boolean => step.kind === "if" || (step.kind === "wait" && !("for" in step));

/** The conditions of steps, by their ids, and what has to be read for them. */
function testsOf({ steps }: Definition, now: number) {
  const needs = new Needs();
  const events = new Set<string>();
  const tests = new Map<string, (facts: CountedFacts) => boolean>();
  for (const step of steps) {
    if (step.kind !== "if" || step.audience.kind === "all") continue;
    const compiled = compile(step.audience.expression, needs);
    for (const event of compiled.events) events.add(event);
    tests.set(step.id, (facts) => compiled.matches(facts, now));
  }
  return { tests, wanted: { needs: needs.list, events: [...events] } };
}

/** Reads of users what the steps of a journey have to know, at an instant (epoch ms). */
export async function readKnown(
  db: Db,
  projectId: string,
  definition: Definition,
  users: readonly UserRef[],
  now: number,
): Promise<(user: UserRef) => Known> {
  const { tests, wanted } = testsOf(definition, now);
  const isRead = definition.steps.some(isAboutUser);
  const facts = isRead
    ? await readFactsOfMany(db, projectId, users, wanted, now)
    : new Map<string, CountedFacts>();
  const zone = isRead ? (await readSome(db, projectId, timingSettings, ["time.zone"]))["time.zone"] : "UTC";
  const project = clockNamed(zone);
  return ({ userKey }) => {
    const own = facts.get(userKey);
    return {
      meets({ id }) {
        const test = tests.get(id);
        return test === undefined || (own !== undefined && test(own));
      },
      waitEnd: (step, arrivedAt) => waitEndOf(step, arrivedAt, { traits: own?.traits ?? {}, project, now }),
    };
  };
}
