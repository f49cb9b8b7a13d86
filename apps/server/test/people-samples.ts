import { type MadeIds, madeThingsRead, type Sample, type Spec, sampleFrom } from "./derived-samples.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { makePerson } from "./people.ts";
import { type Making, makePeopleWorld, noPeople, type PeopleWorld, peopleNames } from "./people-world.ts";
import { nowhere } from "./project-world.ts";
import { ownPeopleSamples } from "./room-samples.ts";
import { type Answered, keyOf, makeBy, makersFor, sampleOf, send, thingsOf, worldFor } from "./samples.ts";

/** A request of an operation for people alone. */
export const sampleOfPeople = (spec: Spec, world: PeopleWorld): Sample =>
  sampleFrom(spec, world, peopleNames, ownPeopleSamples[spec.id]?.(world) ?? {});

/** A request of any operation about things that are not there. */
export const sampleOfNothing = (spec: Spec): Sample =>
  spec.keys.length > 0 ? sampleOf(spec, nowhere) : sampleOfPeople(spec, noPeople);

/** What the request of any operation reads of things that operations make. */
const thingsOfAny = (spec: Spec): Set<string> =>
  spec.keys.length > 0 ? thingsOf(spec) : madeThingsRead(noPeople, (world) => sampleOfPeople(spec, world));

/** A request of an operation for people alone that succeeds: all that it names is made, and what it finds. */
export async function peopleSampleOf(spec: Spec, making: Making): Promise<Sample> {
  const { house, project } = making;
  await ownPeopleSamples[spec.id]?.(noPeople).prepare?.(making);
  const world = await makePeopleWorld(making, (each) => sampleOfPeople(spec, each));
  const made = await makeBy(makersFor(spec, thingsOfAny), (maker, before) =>
    sendAnySample(house, project, maker, before),
  );
  return sampleOfPeople(spec, { ...world, made });
}

/** Sends the sample of any operation about a project: with a key, or as an owner of all projects where keys may not call it. */
export async function sendAnySample(
  house: TestHouse,
  project: TestProject,
  spec: Spec,
  before: MadeIds = {},
): Promise<Answered> {
  if (spec.keys.length > 0) {
    const world = await worldFor(house, project, spec);
    const sample = sampleOf(spec, { ...world, made: { ...world.made, ...before } });
    return send(house, spec, { ...sample, key: keyOf(project, spec) });
  }
  const isEverywhere = spec.scope === "organization";
  const person = await makePerson(house, { role: "owner" });
  const sample = await peopleSampleOf(spec, { house, project, person, isEverywhere });
  return send(house, spec, { ...sample, headers: person.headers(isEverywhere ? "-" : project.projectId) });
}
