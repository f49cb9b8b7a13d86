import { it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { endpoints, peopleEndpoints } from "../../src/features.ts";
import { type Endpoint, isManagementWrite } from "../../src/platform/http/contract/endpoint.ts";
import {
  anotherBody,
  idsIn,
  type MadeIds,
  type Names,
  NOTHING_MADE,
  type OwnSample,
  sampleFrom,
} from "../derived-samples.ts";
import { sampleOfNothing } from "../people-samples.ts";
import { noPeople, peopleNames } from "../people-world.ts";
import { names, nowhere } from "../project-world.ts";
import { endpointsByRoom, ownPeopleSamples, ownSamples, samplesByRoom } from "../room-samples.ts";
import { makerOf } from "../samples.ts";
import { assertNone } from "./complaints.ts";

const all = [...endpoints, ...peopleEndpoints];

/** What a room says of the request of an operation, about things that are not there. */
const ownOf = ({ id }: Endpoint["spec"]): OwnSample =>
  ownSamples[id]?.(nowhere) ?? ownPeopleSamples[id]?.(noPeople) ?? {};

/** Where the sample of an operation stands, or would. */
function fileOf({ id, keys }: Endpoint["spec"]): string {
  const [room = "its room"] =
    [...endpointsByRoom].find(([, own]) => own.some(({ spec }) => spec.id === id)) ?? [];
  return `${keys.length > 0 ? "samples" : "peopleSamples"} of features/${room}/samples.test-data.ts`;
}

/** What is wrong with the request of an operation, as it is derived from its contract. */
function complaintsOf(endpoint: Endpoint): string[] {
  const { spec } = endpoint;
  const { query = {}, body } = sampleOfNothing(spec);
  const own = ownOf(spec);
  const { things }: { things: object } = spec.keys.length > 0 ? names : peopleNames;
  const complaints: string[] = [];
  for (const { name, thing, list } of idsIn(spec))
    if (own.path?.[name] === undefined && !(thing in things) && makerOf(list) === undefined)
      complaints.push(
        `nothing says what ${name} in its path is: let POST ${list} make one, or name the ${name} in its sample`,
      );
  const parsed = spec.query?.safeParse(query);
  if (parsed?.success === false)
    complaints.push(`its query may not be ${JSON.stringify(query)}: give its sample a query`);
  // An id that is made up may be of another form in a body.
  if (spec.body !== undefined && spec.example !== undefined && body !== undefined) {
    if (!spec.body.safeParse(body).success)
      complaints.push(`its body does not allow ${JSON.stringify(body)}: mend its sample`);
    else if (isManagementWrite(endpoint) && Object.keys(body).length > 0 && !anotherBody(spec, body))
      complaints.push("no other body of it was found: test/derived-samples.ts has to try more of them");
  }
  return complaints;
}

it("every operation has a request that its contract allows", () =>
  assertNone(
    all.flatMap((endpoint) =>
      complaintsOf(endpoint).map(
        (complaint) => `${endpoint.spec.id}: ${complaint} (${fileOf(endpoint.spec)})`,
      ),
    ),
  ));

/** A world in which each thing has an id of its own. */
const distinct = <Part extends object>(part: Part, before = ""): Part =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (typeof value === "string") return [name, before + name];
      const isPart = typeof value === "object" && value !== NOTHING_MADE;
      return [name, isPart ? distinct(value, `${name}.`) : value];
    }),
  ) as Part;

/** The parts of an own sample that the contract says as well. */
function needless<World extends { made: MadeIds }>(
  spec: Endpoint["spec"],
  world: World,
  { things, fields }: Names<World>,
  own: (world: World) => OwnSample & { prepare?: unknown },
): string[] {
  const { prepare, ...parts } = own(world);
  if (Object.keys(parts).length === 0) return prepare === undefined ? ["it says nothing: take it out"] : [];
  const given = sampleFrom(spec, world, { things, fields }, parts);
  return Object.keys(parts).flatMap((part) => {
    const { [part as keyof OwnSample]: _, ...others } = parts;
    return isDeepStrictEqual(given, sampleFrom(spec, world, { things, fields }, others))
      ? `its ${part} is what is derived from the contract anyway: take it out`
      : [];
  });
}

it("a room has samples of its own operations, and only where they differ from what is derived", () =>
  assertNone(
    samplesByRoom.flatMap(([room, { samples = {}, peopleSamples = {} }]) => {
      const specOf = (id: string) =>
        endpointsByRoom.get(room)?.find((endpoint) => endpoint.spec.id === id)?.spec;
      const complain = (id: string, complaints: readonly string[]) =>
        complaints.map((complaint) => `features/${room}/samples.test-data.ts, ${id}: ${complaint}`);
      const judge = <World extends { made: MadeIds }>(
        given: Readonly<Record<string, (world: World) => OwnSample>>,
        world: World,
        named: Names<World>,
        isMeant: (spec: Endpoint["spec"]) => boolean,
        place: string,
      ) =>
        Object.entries(given).flatMap(([id, own]) => {
          const spec = specOf(id);
          if (spec === undefined) return complain(id, ["it is no operation of this room"]);
          if (!isMeant(spec)) return complain(id, [`move it to ${place} of the file`]);
          return complain(id, needless(spec, world, named, own));
        });
      return [
        ...judge(samples, distinct(nowhere), names, ({ keys }) => keys.length > 0, "peopleSamples"),
        ...judge(peopleSamples, distinct(noPeople), peopleNames, ({ keys }) => keys.length === 0, "samples"),
      ];
    }),
  ));
