import { counted } from "@tidings/client/text";
import type { Command } from "commander";
import { apiId } from "../../../../domain/ids.ts";
import {
  type AddCommands,
  countOption,
  nameOption,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { ConfigError } from "../../../../platform/config.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { type RefusedDecision, resendThese, type UnknownSendDecision } from "../unknown/decide.ts";
import { pageOfUnknownSends, type UnknownSend } from "../unknown/store.ts";

const messages = (count: number): string => counted(count, "message");

const GONE = "(erased)";

const entry = (send: UnknownSend): string => {
  const to = `${send.address ?? GONE} (user ${send.externalUserId ?? GONE})`;
  return printable(`${send.deliveryId}  ${new Date(send.attemptedAt).toISOString()}`).concat(
    `\n  to        ${printable(to)}`,
    `\n  campaign  ${printable(send.campaignName)} (${apiId("cmp", send.campaignId)})`,
    `\n  why       ${printable(send.reason ?? "-")}`,
  );
};

function unknownText(sends: readonly UnknownSend[], projectId: string, isCut: boolean): string {
  if (sends.length === 0) return "There is no message whose fate is unknown.";
  const resend = `npm run tidings -- email resend --project ${projectId}`;
  return [
    `${isCut ? "The oldest " : ""}${messages(sends.length)} left for a mail server that never said whether it took them:`,
    "they may have arrived, or not.",
    "",
    ...sends.map(entry),
    "",
    "They are not sent again by themselves, because whoever has one already would get it twice. Where the log of the mail",
    "server, or somebody who was written to, says that one did not arrive, have it sent again:",
    `  ${resend} --delivery ${sends[0]?.deliveryId}`,
    "or all of them, where twice is better than never:",
    `  ${resend} --all`,
    "Whatever did arrive needs nothing: following a link in it settles it.",
  ].join("\n");
}

function addUnknown(email: Command): void {
  email
    .command("unknown")
    .description("list messages that a mail server was given and never answered for, and say what to do")
    .addOption(projectOption())
    .option("--limit <n>", "how many at most, the oldest first", countOption, 1_000)
    .option("--json", "print JSON")
    .action(({ project: wanted, limit, json }: ProjectOptions & { limit: number }) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: project } = await chosenProject(kysely, wanted);
        const { rows: sends, total } = await pageOfUnknownSends(kysely, project, { offset: 0, limit });
        if (json) say(sends.map((send) => ({ ...send, campaignId: apiId("cmp", send.campaignId) })));
        else say(unknownText(sends, project, total > sends.length));
      }),
    );
}

/** Why a message cannot be sent again, as the end of a sentence about it. */
const REFUSALS: Readonly<Record<RefusedDecision["because"], (refused: RefusedDecision) => string>> = {
  not_found: () => "is no email of this project",
  not_unknown: ({ status }) => `is not unknown: it is ${status}`,
  user_erased: () => "has nobody to go to: its user was erased",
  campaign_ended: () => "cannot leave again: its campaign has ended",
};

/** Queues messages again, all or none. @throws ConfigError that names the first one that cannot be sent again */
async function resendChosen(
  db: Db,
  projectId: string,
  deliveryIds: readonly string[],
  decision: UnknownSendDecision,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { decided, refused } = await resendThese(tx, projectId, deliveryIds, decision);
    const [first] = deliveryIds.flatMap((id) => refused.find((each) => each.deliveryId === id) ?? []);
    if (first === undefined) return decided.length;
    const why = REFUSALS[first.because](first);
    throw new ConfigError(`${printable(first.deliveryId)} ${why}. Nothing is sent again.`);
  });
}

/** More unknown messages than a crash can leave, since only messages in flight become unknown. */
const MAX_UNKNOWN = 1_000_000;
const PER_TRANSACTION = 500;

/** Queues all unknown messages again that can be sent. */
async function resendAll(
  db: Db,
  projectId: string,
  decision: UnknownSendDecision,
): Promise<{ resent: number; left: number }> {
  const { rows: sends } = await pageOfUnknownSends(db, projectId, { offset: 0, limit: MAX_UNKNOWN });
  let resent = 0;
  for (let from = 0; from < sends.length; from += PER_TRANSACTION) {
    const part = sends.slice(from, from + PER_TRANSACTION).map((send) => send.deliveryId);
    const { decided } = await db.transaction().execute((tx) => resendThese(tx, projectId, part, decision));
    resent += decided.length;
  }
  return { resent, left: sends.length - resent };
}

function resentText({ resent, left }: { resent: number; left: number }): string {
  if (resent + left === 0) return "There is no message whose fate is unknown.";
  const stays =
    left === 0 ? "" : ` ${messages(left)} left as before: the campaign has ended, or the user was erased.`;
  return `${messages(resent)} queued again: sent once the campaign runs, as far as the cap allows it.${stays}`;
}

const collect = (id: string, ids: readonly string[] = []): string[] => [...ids, id];

type ResendOptions = ProjectOptions & { delivery?: readonly string[]; all?: true; by?: string };

function addResend(email: Command): void {
  email
    .command("resend")
    .description("send messages again whose fate is unknown; whoever has one already gets it twice")
    .addOption(projectOption())
    .option(
      "--delivery <id>",
      "this one (del_...); may be given several times, all or none are sent",
      collect,
    )
    .option("--all", "every one of the project")
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(({ project: wanted, delivery = [], all, by = operatingUser(), json }: ResendOptions) =>
      withDatabase(async ({ database: { kysely } }) => {
        if ((all === undefined) === (delivery.length === 0))
          throw new ConfigError("Say which: --delivery del_... (once or more), or --all.");
        const { id: project } = await chosenProject(kysely, wanted);
        const decision = { by, at: Date.now() };
        const done = all
          ? await resendAll(kysely, project, decision)
          : { resent: await resendChosen(kysely, project, delivery, decision), left: 0 };
        say(json ? done : resentText(done));
      }),
    );
}

/** `tidings email unknown` and `resend`. A person decides, because an unknown message may have arrived. */
export const unknownCommands: AddCommands = (program) => {
  const email = commandGroup(program, "email");
  addUnknown(email);
  addResend(email);
};
