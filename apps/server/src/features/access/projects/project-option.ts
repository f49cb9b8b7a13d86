import { Option } from "commander";
import { printable } from "../../../platform/cli/command.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type ListedProject, listProjectsAcrossProjects } from "../store.ts";

/** What commands about a project take; each may take more. */
export type ProjectOptions = { project?: string; json?: true };

/** `--project`, by id or by name. Read it with `chosenProject`. */
export const projectOption = (): Option =>
  new Option(
    "--project <project>",
    "the project, by id or name; without it the only one there is (the demo's does not count)",
  ).env("TIDINGS_PROJECT");

const PROJECT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The most names that a refusal lists. */
const NAMED = 10;

const listOf = (projects: readonly ListedProject[]): string => {
  const names = projects.slice(0, NAMED).map(({ name, id }) => `${printable(name)} (${id})`);
  return names.join(", ") + (projects.length > NAMED ? ", …" : "");
};

/** The project that `--project` names. @throws ConfigError when it names none, or several */
function namedProject(projects: readonly ListedProject[], wanted: string): ListedProject {
  const found = projects.filter(
    PROJECT_ID.test(wanted) ? ({ id }) => id === wanted : ({ name }) => name === wanted,
  );
  const [project, second] = found;
  if (project === undefined)
    throw new ConfigError(`There is no project ${printable(wanted)}: "tidings project list" lists them.`);
  if (second !== undefined)
    throw new ConfigError(
      `${found.length} projects are called ${printable(wanted)}: give the id of one, ${listOf(found)}.`,
    );
  return project;
}

/**
 * The project that a command is about: the one that `--project` names by id or name, else the only one beside the demo's.
 * @throws ConfigError that says what to do where there is none, or several
 */
export async function chosenProject(db: Db, wanted: string | undefined): Promise<ListedProject> {
  const projects = await listProjectsAcrossProjects(db);
  if (wanted !== undefined) return namedProject(projects, wanted);
  const [only, second] = projects.filter(({ isDemo }) => !isDemo);
  if (only === undefined)
    throw new ConfigError('There is no project yet: "tidings project create --name N" makes one.');
  if (second !== undefined)
    throw new ConfigError(`There are several projects: say which with --project, ${listOf(projects)}.`);
  return only;
}
