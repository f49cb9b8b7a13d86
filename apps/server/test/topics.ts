import type { Answer } from "@tidings/client";
import type { TestProject } from "./harness.ts";
import type { SmtpPeer, Taken } from "./peers/smtp.ts";

type TopicBody = Parameters<TestProject["api"]["createTopic"]>[0]["body"];

/** A topic that is there for everybody, `news` by its key, with whatever is given on top. */
export async function makeTopic(
  { api }: TestProject,
  more: Partial<TopicBody> = {},
): Promise<Answer<"createTopic">["topic"]> {
  const { topic } = await api.createTopic({
    body: { key: "news", name: "News", description: "What is new.", isDefault: "in", ...more },
  });
  return topic;
}

/** The text of a mail: its quoted-printable lines joined. */
export const textOf = ({ raw }: Taken): string =>
  raw
    .toString("latin1")
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The last mail that a server took for an address. */
export function lastTo(smtp: SmtpPeer, address: string): Taken {
  const found = smtp.taken.findLast(({ to }) => to === address);
  if (found === undefined) throw new Error(`No mail to ${address}.`);
  return found;
}

/** The address of a page that a mail leads to, by the last part of its path. */
export function linkIn(mail: Taken, part: string): string {
  const found = new RegExp(`https?://[^\\s"<>]*/e/[\\w-]+/${part}`).exec(textOf(mail));
  if (found === null) throw new Error(`The mail leads to no ${part}.`);
  return found[0];
}
