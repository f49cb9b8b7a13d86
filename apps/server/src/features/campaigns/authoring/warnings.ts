import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { savepoint } from "../../../platform/db/savepoint.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { type Port, port } from "../../../platform/runtime.ts";
import { type NamedTrait, warnOfTraits } from "../../audience/language/parse/diagnose.pure.ts";
import { MAX_DIAGNOSTICS, type Path } from "../../audience/language/parse/diagnostics.pure.ts";
import { Diagnostic } from "../../audience/language/schema.ts";
import { findUnknownTraits } from "../../counting/rollups/public.ts";
import { findHtml, htmlRemark } from "./html.pure.ts";
import { remarksOfLinks } from "./link-remarks.ts";
import { plainTextsIn, traitsNamedIn } from "./personal-texts.pure.ts";
import type { Channel } from "./schema.ts";

/** The field of an answer with warnings about its messages. */
export const withWarnings = {
  warnings: z
    .array(Diagnostic)
    .max(MAX_DIAGNOSTICS)
    .describe(
      "Likely slips of the pen: personal fields that name a trait which no user has, mail that is too long for Gmail to show all of it, HTML that is shown as text, links and pictures that readers cannot reach. Absent where there is nothing to warn of.",
    )
    .optional(),
};

/** What is needed to look at messages: of a request, or of a command. */
type Looking = Pick<Ctx, "app" | "db" | "projectId">;

/** A message and its place in the request; the root where the request has no message. */
type PlacedContent = { content: unknown; at: Path };

/**
 * Prepares for the messages of one request, and answers what says of each what people should know of it before it is sent. A channel that
 * has something to say of its messages plugs in.
 */
export type MessageRemarks = (
  ctx: Looking,
  channel: Channel,
) => Promise<(message: PlacedContent) => Diagnostic[]>;
export const messageRemarks: Port<MessageRemarks> = port("message remarks");

/** HTML in texts of a message that are shown as they are written, on every channel. */
const remarksOfHtml = (channel: Channel, { content, at }: PlacedContent): Diagnostic[] =>
  plainTextsIn(channel, content, at).flatMap(({ path, text }) => {
    const html = findHtml(text);
    return html === null ? [] : [htmlRemark(html, path, "this text is plain")];
  });

async function remarksOf(
  ctx: Looking,
  channel: Channel,
  messages: readonly PlacedContent[],
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const prepare of ctx.app.askAll(messageRemarks)) {
    const remarks = await prepare(ctx, channel);
    for (const message of messages) {
      // Writing a long message takes tens of milliseconds, so other requests get a turn in between.
      await setImmediate();
      found.push(...remarks(message));
    }
  }
  for (const message of messages) {
    await setImmediate();
    found.push(...remarksOfHtml(channel, message));
    found.push(...remarksOfLinks(channel, message, ctx.app.publicUrl()));
  }
  return found;
}

async function readWarnings(ctx: Looking, named: readonly NamedTrait[]): Promise<Diagnostic[]> {
  const names = [...new Set(named.map(({ name }) => name))];
  const { unknown, known } = await findUnknownTraits(ctx.db, ctx.projectId, names);
  const found = named.filter(({ name }) => unknown.has(name));
  return warnOfTraits(found.slice(0, MAX_DIAGNOSTICS), known);
}

/**
 * The warnings of messages: what their channel has to say of them, and personal fields that name traits that no user has; no field where
 * there are none. Never fails the request: what cannot be looked at is not warned of.
 */
export async function warningsOf(
  ctx: Looking,
  channel: Channel,
  messages: readonly PlacedContent[],
): Promise<{ warnings?: Diagnostic[] }> {
  if (messages.length === 0) return {};
  const named: NamedTrait[] = [];
  for (const { content, at } of messages) {
    // Parsing a long text takes milliseconds, so other requests get a turn in between.
    await setImmediate();
    named.push(...traitsNamedIn(channel, content, at));
  }
  const read = async () => [
    ...(await remarksOf(ctx, channel, messages)),
    ...(named.length === 0 ? [] : await readWarnings(ctx, named)),
  ];
  try {
    // Without the savepoint, a failed statement would fail the transaction of the write as well.
    const warnings = ctx.db.isTransaction ? await savepoint(ctx.db, "warnings", read) : await read();
    return warnings.length === 0 ? {} : { warnings: warnings.slice(0, MAX_DIAGNOSTICS) };
  } catch (cause) {
    ctx.app.log.warn({ err: cause, projectId: ctx.projectId }, "a message was not looked at for warnings");
    return {};
  }
}
