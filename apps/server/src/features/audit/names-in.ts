import { type Ctx, personOf } from "../../platform/http/contract/endpoint.ts";
import { NO_PROJECT } from "../../platform/http/contract/person.ts";
import { allActs, targetsIn } from "./acts.ts";
import type { toEntry } from "./filter.ts";
import type { FiledEntry } from "./lines.pure.ts";
import { namedIn, projectsIn } from "./named.pure.ts";
import { findNames, findProjectNames } from "./store.ts";

/** The names of the things of a project that values name by their ids, for the person who asks: by id. What is not there any more has none. */
export async function namesIn(ctx: Ctx, values: readonly unknown[]): Promise<Record<string, string>> {
  const entries = values.map((after) => ({ operation: "", target: null, before: null, after }));
  const named = namedIn(entries, () => "id");
  const found = await findNames(ctx.db, personOf(ctx).organizationId, [ctx.projectId], named);
  return Object.fromEntries(found.map(({ id, name }) => [id, name]));
}

/** Entries with the names of what they name, as it is called now. An owner who looks at one project learns the name of no other. */
export async function nameEntries(
  ctx: Ctx,
  entries: readonly ReturnType<typeof toEntry>[],
): Promise<FiledEntry[]> {
  const { organizationId } = personOf(ctx);
  const isOfAll = ctx.projectId === NO_PROJECT;
  const ofProjects = projectsIn(entries).filter((id) => isOfAll || id === ctx.projectId);
  const projects = await findProjectNames(ctx.db, organizationId, ofProjects);
  const within = [...new Set(entries.flatMap(({ projectId }) => projectId ?? []))];
  const things = await findNames(
    ctx.db,
    organizationId,
    within,
    namedIn(entries, targetsIn(allActs(ctx.app))),
  );
  return entries.map((entry) => {
    const { projectId, target, before, after } = entry;
    const near = things.filter((thing) => thing.projectId === null || thing.projectId === projectId);
    const named = new Map([...projects, ...near.map(({ id, name }): [string, string] => [id, name])]);
    const text = JSON.stringify([before, after]);
    return {
      ...entry,
      projectName: (projectId !== null && projects.get(projectId)) || null,
      targetName: (target !== null && named.get(target)) || null,
      names: Object.fromEntries([...named].filter(([id]) => text.includes(id))),
    };
  });
}
