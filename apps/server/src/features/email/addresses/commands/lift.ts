import { counted } from "@tidings/client/text";
import { type Command, InvalidArgumentError, Option } from "commander";
import { nameOption, operatingUser, say, withDatabase } from "../../../../platform/cli/command.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { liftSuppressions } from "../lift.ts";
import { countSuppressedWithin } from "../lift-store.ts";

/** Reasons that can be wrong of many addresses at once. The other reasons are decided by the owner of each address. */
const REASONS = ["bounced", "manual"] as const;

/** Parses an option that is an instant: a date or a time in ISO 8601, UTC where it names no zone. */
const instant = (text: string): number => {
  const [, date, time = "00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(at))
    throw new InvalidArgumentError("must be a date or a time, such as 2026-11-24T08:00Z.");
  return at;
};

type Options = ProjectOptions & {
  reason: (typeof REASONS)[number];
  since: number;
  until?: number;
  dryRun?: true;
  by?: string;
  json?: true;
};

/** `tidings email lift`: many addresses at once, for what a wrong verdict has suppressed. */
export function addLift(email: Command): void {
  email
    .command("lift")
    .description("let mail leave again to all addresses that were stopped for a reason within a time")
    .addOption(projectOption())
    .addOption(
      new Option("--reason <reason>", "why they were stopped").choices(REASONS).makeOptionMandatory(),
    )
    .requiredOption("--since <time>", "stopped then or later: a date or a time, UTC", instant)
    .option("--until <time>", "stopped before that; now, unless it is given", instant)
    .option("--dry-run", "say how many these are, and change nothing")
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(({ project: wanted, reason, since, until, dryRun, by = operatingUser(), json }: Options) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: project } = await chosenProject(kysely, wanted);
        const at = Date.now();
        const chosen = { reason, since, until: until ?? at + 1 };
        const count = dryRun
          ? await countSuppressedWithin(kysely, project, chosen)
          : await liftSuppressions(kysely, project, chosen, { by, at });
        if (json) say({ reason, since, until: chosen.until, count, lifted: dryRun !== true });
        else if (dryRun)
          say(`${counted(count, "address", "addresses")} would get mail again. Nothing was changed.`);
        else say(`${counted(count, "address gets", "addresses get")} mail again.`);
      }),
    );
}
