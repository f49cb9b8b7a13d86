import { type ParsedMail, simpleParser } from "mailparser";
import { sendingProject } from "./email.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { sendKeyOf } from "./keys.ts";
import type { SmtpPeer, Taken } from "./peers/smtp.ts";

/** A project that sends receipts from acme.example, with a live template `receipt` and a key that does nothing else. */
export async function receiptProject(
  house: TestHouse,
  { port }: SmtpPeer,
): Promise<{ project: TestProject; key: string }> {
  const project = await sendingProject(house, port);
  await project.api.createCampaign({
    body: {
      name: "Receipt",
      channel: "email",
      purpose: "transactional",
      key: "receipt",
      launch: true,
      message: { subject: "Order {{ data.order.number }}", body: "Total: {{ data.order.total }}" },
    },
  });
  return { project, key: await sendKeyOf(house, project) };
}

/** The mails that a server took since `taken` was empty, by recipient, as their recipients read them. Empties it. */
export async function readTaken(taken: Taken[]): Promise<{ to: string; mail: ParsedMail }[]> {
  const mails = taken.splice(0).toSorted((a, b) => (a.to < b.to ? -1 : 1));
  return Promise.all(mails.map(async ({ to, raw }) => ({ to, mail: await simpleParser(raw) })));
}

/** The addresses of a field of a mail, as it shows them. */
export const shownIn = (field: ParsedMail["to"]): string =>
  [field ?? []]
    .flat()
    .map(({ text }) => text)
    .join(", ");
