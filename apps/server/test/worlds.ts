/** How some things of a world are made, which requests can then name. */
export type Part<World, Making> = {
  names: readonly (keyof World)[];
  make(making: Making): Promise<Partial<World>>;
};

/** Declares one; the compiler checks that it makes all that it names. */
export const partsOf =
  <World, Making>() =>
  <Name extends keyof World>(
    names: readonly Name[],
    make: (making: Making) => Promise<Pick<World, Name>>,
  ): Part<World, Making> => ({ names, make: make as (making: Making) => Promise<Partial<World>> });

/** What a function reads of a world. */
function namedBy<World extends object>(nowhere: World, reads: (world: World) => unknown): Set<keyof World> {
  const named = new Set<keyof World>();
  reads(
    new Proxy(nowhere, {
      get(world, name) {
        named.add(name as keyof World);
        return Reflect.get(world, name);
      },
    }),
  );
  return named;
}

/**
 * A world in which there is what requests name, and nothing else: tests of every operation spent most of their time on making things
 * that no request named.
 * @param nowhere ids of nothing
 * @param reads makes the requests of a world
 */
export async function worldOf<World extends object, Making>(
  nowhere: World,
  parts: readonly Part<World, Making>[],
  making: Making,
  reads: (world: World) => unknown,
): Promise<World> {
  const named = namedBy(nowhere, reads);
  const world = { ...nowhere };
  for (const { names, make } of parts)
    if (names.some((name) => named.has(name))) Object.assign(world, await make(making));
  return world;
}
