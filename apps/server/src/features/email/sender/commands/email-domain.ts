import { type AddCommands, printable, say, withDatabase } from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { txtLookup } from "../../../../platform/net/dns.ts";
import { secretsOnUse } from "../../../../platform/secrets/secrets.ts";
import { orConfigError } from "../../../../platform/settings/or-config-error.ts";
import { chosenProject, projectOption } from "../../../access/public.ts";
import {
  type CheckedRecord,
  checkSenderDomain,
  markSenderDomainVerified,
  prepareSenderDomain,
  type SenderDomain,
  wantedRecords,
} from "../domain.ts";
import type { WantedRecord } from "../records.pure.ts";

type Options = { project?: string; check?: true; newKey?: true; json?: true };

/** A string of a TXT record has at most 255 bytes (RFC 1035, 3.3), so a longer text is divided. */
const inStrings = (value: string): string[] => value.match(/.{1,255}/g) ?? [];

const withStrings = <Wanted extends WantedRecord>(record: Wanted) => ({
  type: "TXT",
  ...record,
  strings: inStrings(record.value),
});

function instructions(sender: SenderDomain, projectId: string): string {
  const [dkim, spf] = wantedRecords(sender);
  const term = sender.spfInclude === null ? "who sends for it" : `include:${sender.spfInclude}`;
  const check = `npm run tidings -- email domain --project ${projectId} --check`;
  return [
    `${sender.domain} is ${sender.isVerified ? "" : "not "}verified. These records belong into its DNS:`,
    "",
    `TXT  ${dkim?.name}`,
    `     ${dkim?.value}`,
    "     One text; a zone file takes it as strings of at most 255 characters.",
    `TXT  ${spf?.name}`,
    `     ${spf?.value}`,
    `     One record that begins with v=spf1: where there is one, add ${term} to it.`,
    ...(sender.spfInclude === null
      ? ["     Setting email.spfInclude takes the name that your mail provider wants in it."]
      : []),
    "",
    `When they are published: ${check}`,
  ].join("\n");
}

function findings(records: readonly CheckedRecord[]): string[] {
  return records.flatMap(({ name, value, found, problem }) =>
    problem === null
      ? [`ok      TXT  ${name}`]
      : [
          `not ok  TXT  ${name} ${printable(problem)}`,
          ...found.map((text) => `        found   ${printable(text)}`),
          `        wanted  ${value}`,
        ],
  );
}

/** `tidings email domain`: the key that mail is signed with, what to publish for it, and whether that is done. */
export const emailDomainCommands: AddCommands = (program) => {
  commandGroup(program, "email")
    .command("domain")
    .description("show what the DNS of the sender domain has to say; with --check, ask whether it does")
    .addOption(projectOption())
    .option("--check", "ask DNS, and mark the domain as verified when it says so; exits 1 when it does not")
    .option("--new-key", "make another key, which then has to be published and checked")
    .option("--json", "print JSON")
    .action(({ project: wanted, check, newKey, json }: Options) =>
      withDatabase(async ({ database }, config) => {
        const { kysely } = database;
        const secrets = secretsOnUse(config);
        const { id: project } = await chosenProject(kysely, wanted);
        const prepared = prepareSenderDomain(kysely, secrets, project, {
          now: Date.now(),
          renew: newKey ?? false,
        });
        const sender = await orConfigError(prepared);
        const { domain } = sender;
        if (check === undefined) {
          const records = wantedRecords(sender).map(withStrings);
          say(json ? { domain, verified: sender.isVerified, records } : instructions(sender, project));
          return;
        }
        const records = await checkSenderDomain(sender, txtLookup(config.dnsServer));
        const verified =
          records.every(({ problem }) => problem === null) &&
          (await kysely
            .transaction()
            .execute((tx) => markSenderDomainVerified(tx, secrets, project, sender, Date.now())));
        const verdict = verified ? `${domain} is verified.` : `${domain} was not verified.`;
        say(
          json
            ? { domain, verified, records: records.map(withStrings) }
            : [...findings(records), verdict].join("\n"),
        );
        if (!verified) process.exitCode = 1;
      }),
    );
};
