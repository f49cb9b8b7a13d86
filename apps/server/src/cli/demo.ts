import { type Command, InvalidArgumentError } from "commander";
import { houseTables } from "../domain/house-tables.ts";
import { chosenProject } from "../features/access/public.ts";
import { fillMonth, openDemo } from "../features/demo/public.ts";
import { deleteProject } from "../features/portable/delete-project.ts";
import { printable, say } from "../platform/cli/command.ts";
import { ConfigError } from "../platform/config.ts";
import type { App } from "../platform/runtime.ts";
import { withHouse } from "./with-house.ts";

const HELP = `
A month of an invented coffee shop: customers, what they did, campaigns in the page, by mail and by push, and what an agent decided
about them. It goes into the project of the demo, which is made if it is not there yet; or into an empty project that --project names.
Works beside a running server, which shows all of it once it is whole; interrupted, it leaves nothing, and is run again. Nothing leaves
this computer: mail is kept in the outbox, and pushes are kept nowhere.

With --again, the demo's project is deleted, with all that is in it and its keys, and made anew.`;

type Options = { project?: string; again?: true; customers?: number; json?: true };

const LEAST = 100;
const MOST = 20_000;

/** An option that is a number of customers. */
function customersOf(typed: string): number {
  const count = Number(typed);
  if (!/^\d{1,5}$/.test(typed) || count < LEAST || count > MOST)
    throw new InvalidArgumentError(`must be a whole number from ${LEAST} to ${MOST}.`);
  return count;
}

/** The project to fill, by id and name. */
async function placeOf(app: App, { project, again }: Options): Promise<{ id: string; name: string }> {
  const { kysely } = app.database;
  if (project !== undefined) {
    if (again)
      throw new ConfigError("--again makes the demo's project anew, and is not for a project of your own.");
    return chosenProject(kysely, project);
  }
  if (again) {
    const { projectId } = await openDemo(app);
    await deleteProject(kysely, { projectId, tables: app.ask(houseTables)(), now: app.clock() });
  }
  const { projectId } = await openDemo(app);
  return chosenProject(kysely, projectId);
}

/** Adds `demo` to the command. */
export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description("fill the demo's project with a month of a shop, to look around in")
    .option("--project <project>", "an empty project (by id or name) in place of the demo's")
    .option("--again", "delete the demo's project, and make it anew")
    .option(
      "--customers <count>",
      `how many customers the shop has, ${LEAST} to ${MOST} (2,000 if not given)`,
      customersOf,
    )
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action((options: Options) =>
      withHouse(async (app) => {
        const { id, name } = await placeOf(app, options);
        const { result, tookMs } = await fillMonth(app, id, options.customers);
        if (options.json) return say({ projectId: id, result, tookMs });
        const shown = `${printable(name)} (${id})`;
        say(
          result === "known"
            ? `${shown} has its month already: nothing was done.`
            : `${shown} has a month of customers, campaigns and results now; that took ${(tookMs / 1_000).toFixed(1)} s.\nLook at it: ${app.publicUrl()}/app/p/${id}/overview`,
        );
      }),
    );
}
