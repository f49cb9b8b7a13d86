import type { Db } from "../../../../platform/db/db.ts";
import { isListed, parseHosts, placesOf } from "../../../access/perimeter/hosts.pure.ts";
import { hostsOf } from "../../../campaigns/authoring/message/links.pure.ts";
import { findHost } from "../../../campaigns/authoring/public.ts";
import type { Channel } from "../../../campaigns/authoring/schema.ts";
import { GuardrailViolation } from "../../../campaigns/goals/public.ts";
import { readSome } from "../../../settings/public.ts";
import { safetySettings } from "../settings.pure.ts";

/** `app` says where this server is: its own host may always be linked to. */
type Within = { db: Db; projectId: string; app?: { publicUrl(): string } | undefined };

type Messages = readonly { content: unknown }[];

/**
 * To which hosts an agent may link in a campaign by itself: those of the messages that it has, which people wrote or approved, those of the
 * setting `links.allowedHosts`, and this server's own. @param before its messages before the change
 */
export async function hostsForAgents(
  { db, projectId, app }: Within,
  channel: Channel,
  before: Messages,
): Promise<(host: string) => boolean> {
  const { "links.allowedHosts": listed } = await readSome(db, projectId, safetySettings, [
    "links.allowedHosts",
  ]);
  const list = parseHosts(listed ?? "") ?? [];
  const own = new Set(app === undefined ? [] : placesOf(app.publicUrl()));
  for (const { content } of before) for (const { host } of hostsOf(content, channel)) own.add(host);
  return (host) => own.has(host) || isListed(list, host);
}

/** Refuses messages of an agent with links that no person has allowed. @throws GuardrailViolation with the field and the host */
export async function assertLinksOfAgent(
  within: Within,
  channel: Channel,
  { before, after }: { before: Messages; after: Messages },
): Promise<void> {
  const found = await findHost(channel, after, await hostsForAgents(within, channel, before));
  if (found === null) return;
  const { field, host, links } = found;
  throw new GuardrailViolation(
    `${field} links to ${host}, which this campaign has not used before: keep to its links, or to those of links.allowedHosts, or propose the change to people.`,
    { guardrail: "links.allowedHosts", limit: 0, observed: links, field, host },
  );
}
