import { Option } from "commander";
import { type AddCommands, withDatabase } from "../../../platform/cli/command.ts";
import { toFile, toOutput, type Write } from "../../../platform/cli/output.ts";
import { kebabCase } from "../../../platform/text/kebab-case.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import type { List } from "../list.ts";
import { lists } from "../lists.ts";
import { FORMATS, type Format } from "../schema.ts";

type Options = ProjectOptions & { format: Format; out?: string } & Record<string, string>;

async function run({ read }: List, { project, format, out, ...filters }: Options): Promise<void> {
  await withDatabase(async ({ database: { kysely: db } }) => {
    const { id: projectId } = await chosenProject(db, project);
    const pieces = await read({ db, projectId, now: Date.now() }, filters, format);
    const act = async (write: Write): Promise<void> => {
      for await (const piece of pieces) if (piece !== "") await write(piece);
    };
    await (out === undefined ? act(toOutput) : toFile(out, act));
  });
}

/** `tidings extract users` and the other lists, with the filters of their operations as options. */
export const extractCommands: AddCommands = (program) => {
  const extract = program
    .command("extract")
    .description("write a list of a project as a file: a table for spreadsheets, or JSON lines");
  for (const list of lists) {
    const command = extract
      .command(list.name)
      .description(list.summary[0]?.toLowerCase() + list.summary.slice(1))
      .addOption(projectOption())
      .addOption(new Option("--format <format>", "of the file").choices(FORMATS).default("csv"))
      .option("--out <file>", "where to; by default standard output")
      .addHelpText("after", "\nWorks beside a running server. See docs/lists.md.");
    for (const { name, about } of list.filters) command.option(`--${kebabCase(name)} <value>`, about);
    command.action((options: Options) => run(list, options));
  }
};
