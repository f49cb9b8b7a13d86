import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type AddCommands,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import type { Config } from "../../../platform/config.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { higherRole, PERSON_ROLES, type PersonRole } from "../../../platform/http/person.ts";
import { chosenProject, theOrganization } from "../../access/public.ts";
import { insertEntry } from "../../audit/public.ts";
import { firstLink } from "../first-link.ts";
import { makeLink } from "../links.ts";
import { personOrigin } from "../origin.ts";
import { assertOtherOperator, giveRoles } from "../roles.ts";
import { personEmail } from "../schema.ts";
import { findMember, listMembers, lockMembers, type MemberRow } from "../store.ts";
import { removeMember } from "../withdrawal.ts";

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

type InviteOptions = { email: string; role: PersonRole; project?: string; json?: true };

function addInvite(people: Command): void {
  people
    .command("invite")
    .description("invite somebody; the link is printed this once")
    .addOption(emailOption("whom to invite"))
    .addOption(
      new Option("--role <role>", "what they will be able to do").choices(PERSON_ROLES).makeOptionMandatory(),
    )
    .option("--project <project>", "in which project, by id or name; in all where it is left out")
    .option("--json", "print JSON")
    .action(({ email, role, project, json }: InviteOptions) =>
      change(async (within) => {
        const { db, organizationId, now, origin, by: madeBy } = within;
        const projectIds = project === undefined ? null : [(await chosenProject(db, project)).id];
        await log(within, {
          operation: "invitePerson",
          projectId: projectIds?.[0] ?? null,
          target: email,
          after: { role },
        });
        const member = await findMember(db, organizationId, { email });
        if (member === null) {
          const made = await makeLink(
            db,
            { kind: "invitation", email, role, projectIds },
            { origin, organizationId, now, madeBy, madeById: null },
          );
          return say(json ? { email, role, ...made } : linkText(made.link, made.expiresAt));
        }
        await giveRoles(db, organizationId, member.id, {
          projectIds,
          change: (before) => higherRole(before, role),
        });
        say(
          json
            ? { email, role, link: null, expiresAt: null }
            : `${printable(member.name)} is here already, and has the role now.`,
        );
      }),
    );
}

const roleText = ({ role, isOperator, roles }: MemberRow): string =>
  [
    ...(isOperator ? ["operator"] : []),
    ...(role === null ? [] : [`${role} of all projects`]),
    ...roles.map((each) => `${each.role} of ${each.projectId}`),
  ].join(", ") || "no role";

function addList(people: Command): void {
  people
    .command("list")
    .description("list the people and what they may do")
    .option("--json", "print JSON")
    .action(({ json }: { json?: true }) =>
      change(async ({ db, organizationId }) => {
        const members = await listMembers(db, organizationId, null);
        if (json) return say(members);
        if (members.length === 0) return say('There is nobody yet: "tidings people link" prints the way in.');
        say(members.map((each) => `${each.email}  ${printable(each.name)}  ${roleText(each)}`).join("\n"));
      }),
    );
}

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
export const peopleCommands: AddCommands = (program) => {
  const people = program
    .command("people")
    .description("invite, list and remove people, and let them back in");
  for (const add of [addInvite, addList, addLink, addRemove]) add(people);
};
