import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type AddCommands,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { commandGroup } from "../../../platform/cli/command-group.ts";
import { type OperationCommand, operationCommand } from "../../../platform/cli/operation-command.ts";
import type { Config } from "../../../platform/config.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { theOrganization } from "../../access/public.ts";
import { insertEntry } from "../../audit/public.ts";
import { firstLink } from "../links/first-link.ts";
import { invitePerson } from "../links/invite-person.ts";
import { makeLink } from "../links/links.ts";
import { removeMember } from "../links/withdrawal.ts";
import { listPeople } from "../list-people.ts";
import { assertOtherOperator } from "../roles.ts";
import { personEmail } from "../schema.ts";
import { personOrigin } from "../sign-in/origin.ts";
import { findMember, lockMembers, type MemberRow } from "../store.ts";

const originOf = (config: Config): string =>
  personOrigin(
    config.publicUrl ??
      `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${config.port}`,
    config,
  );

/** An option that is an address of a person. */
function address(typed: string): string {
  const { success, data } = personEmail.safeParse(typed);
  if (!success) throw new InvalidArgumentError("must be an email address.");
  return data;
}

const emailOption = (what: string): Option =>
  new Option("--email <email>", what).argParser(address).makeOptionMandatory();

type Within = { db: Db; organizationId: string; now: number; origin: string; by: string };

/** Runs a change of people in one transaction, in which no other changes them. */
function change(act: (within: Within) => Promise<void>): Promise<void> {
  return withDatabase(({ database: { kysely } }, config) =>
    kysely.transaction().execute(async (db) => {
      const now = Date.now();
      const organizationId = await theOrganization(db, now);
      await lockMembers(db, organizationId);
      await act({ db, organizationId, now, origin: originOf(config), by: operatingUser() });
    }),
  );
}

/** Writes what a command changed into the audit log. */
const log = (
  { db, organizationId, now, by }: Within,
  entry: { operation: string; projectId?: string | null; target: string; before?: unknown; after?: unknown },
): Promise<void> => {
  const { operation, projectId = null, target, before, after } = entry;
  const detail = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  return insertEntry(db, {
    organizationId,
    projectId,
    at: now,
    by: { kind: "command", id: null, name: by },
    operation,
    target,
    detail,
    requestId: null,
  });
};

/** @throws ConfigError where there is no such person */
async function memberOf({ db, organizationId }: Within, email: string): Promise<MemberRow> {
  const member = await findMember(db, organizationId, { email });
  if (member === null)
    throw new ConfigError(`There is no person ${printable(email)}: "tidings people list" lists them.`);
  return member;
}

const linkText = (link: string, expiresAt: number): string =>
  `${link}\nIt works once, until ${new Date(expiresAt).toISOString()}.`;

type Invited = { invited: { link: string; expiresAt: number } | null };

const invite = operationCommand<Invited>({
  words: "people invite",
  operation: invitePerson,
  description: "invite somebody; the link is printed this once",
  options: { email: { value: "email", says: "whom to invite" } },
  // One project is what --project names.
  hides: ["projectIds"],
  says: ({ invited }, { given }) =>
    invited === null
      ? `${printable(String(given.email))} is here already, and has the role now.`
      : linkText(invited.link, invited.expiresAt),
  json: ({ invited }, { given: { email, role } }) => ({
    email,
    role,
    link: null,
    expiresAt: null,
    ...invited,
  }),
});

const roleText = ({ role, isOperator, roles }: MemberRow): string =>
  [
    ...(isOperator ? ["operator"] : []),
    ...(role === null ? [] : [`${role} of all projects`]),
    ...roles.map((each) => `${each.role} of ${each.projectId}`),
  ].join(", ") || "no role";

const list = operationCommand<{ people: MemberRow[] }>({
  words: "people list",
  operation: listPeople,
  description: "list the people and what they may do",
  about: "organization",
  says: ({ people }) =>
    people.map((each) => `${each.email}  ${printable(each.name)}  ${roleText(each)}`).join("\n") ||
    'There is nobody yet: "tidings people link" prints the way in.',
  json: ({ people }) => people,
});

function addLink(people: Command): void {
  people
    .command("link")
    .description(
      "print a link with which a person sets a new password, or with which the first person comes in",
    )
    .addOption(
      new Option("--email <email>", "whose password; left out for the first person").argParser(address),
    )
    .option("--json", "print JSON")
    .action(({ email, json }: { email?: string; json?: true }) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        if (email === undefined) {
          const link = await firstLink(kysely, originOf(config), Date.now());
          if (link === null)
            throw new ConfigError("There are people already: say whose password with --email.");
          return say(json ? { link } : link);
        }
        await kysely.transaction().execute(async (db) => {
          const now = Date.now();
          const organizationId = await theOrganization(db, now);
          const within = { db, organizationId, now, origin: originOf(config), by: operatingUser() };
          const member = await memberOf(within, email);
          const wanted = { kind: "password", personId: member.id } as const;
          const made = await makeLink(db, wanted, { ...within, madeBy: within.by, madeById: null });
          await log(within, { operation: "makePasswordLink", target: email });
          say(json ? { email, ...made } : linkText(made.link, made.expiresAt));
        });
      }),
    );
}

function addRemove(people: Command): void {
  people
    .command("remove")
    .description(
      "remove a person: their account, sessions, passkeys, roles, and the open links that they made",
    )
    .addOption(emailOption("whom to remove"))
    .option("--json", "print JSON")
    .action(({ email, json }: { email: string; json?: true }) =>
      change(async (within) => {
        const member = await memberOf(within, email);
        const { id, name, isOperator } = member;
        if (isOperator) await assertOtherOperator(within.db, within.organizationId, id);
        await removeMember(within.db, within.organizationId, member);
        await log(within, { operation: "removePerson", target: email, before: { name } });
        say(json ? { personId: id, email } : `${printable(name)} is removed.`);
      }),
    );
}

/** `tidings people`: who may use the dashboard. */
export const peopleCommands: readonly (AddCommands | OperationCommand)[] = [
  invite,
  list,
  (program) => addLink(commandGroup(program, "people")),
  (program) => addRemove(commandGroup(program, "people")),
];
