import { globSync } from "node:fs";
import { dirname } from "node:path";
import { staircase } from "../src/features.ts";
import type { Endpoint } from "../src/platform/http/contract/endpoint.ts";
import type { OwnSample } from "./derived-samples.ts";
import type { Making, PeopleWorld } from "./people-world.ts";
import type { World } from "./project-world.ts";

/** Samples of a room, by operation: in `samples.test-data.ts` beside what they are of, where what is derived does not do. */
export type Samples = Readonly<Record<string, (world: World) => OwnSample>>;

/** The same for operations of people alone. `prepare` makes what the operation finds, and its request does not name. */
export type PeopleSamples = Readonly<
  Record<string, (world: PeopleWorld) => OwnSample & { prepare?: (making: Making) => Promise<unknown> }>
>;

const FEATURES = new URL("../src/features/", import.meta.url);

async function modulesCalled<Module>(name: string): Promise<[room: string, Module][]> {
  const files = globSync(`**/${name}`, { cwd: FEATURES }).sort();
  return Promise.all(
    files.map(
      async (file): Promise<[string, Module]> => [
        dirname(file),
        (await import(new URL(file, FEATURES).href)) as Module,
      ],
    ),
  );
}

/** The samples of each room, by its folder. */
export const samplesByRoom = await modulesCalled<{ samples?: Samples; peopleSamples?: PeopleSamples }>(
  "samples.test-data.ts",
);

export const ownSamples: Samples = Object.assign({}, ...samplesByRoom.map(([, { samples }]) => samples));
export const ownPeopleSamples: PeopleSamples = Object.assign(
  {},
  ...samplesByRoom.map(([, { peopleSamples }]) => peopleSamples),
);

/** The operations of each room, by its folder. */
export const endpointsByRoom: ReadonlyMap<string, readonly Endpoint[]> = new Map(
  staircase.flat().map(({ room, endpoints = [] }) => [room, endpoints]),
);
