import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { savepoint } from "../../../../platform/db/transactions/savepoint.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { type Port, port } from "../../../../platform/runtime.ts";
import { type NamedTrait, warnOfTraits } from "../../../audience/language/parse/diagnose.pure.ts";
import { MAX_DIAGNOSTICS } from "../../../audience/language/parse/diagnostics.pure.ts";
import { Diagnostic } from "../../../audience/language/schema.ts";
import { findUnknownTraits } from "../../../counting/rollups/public.ts";
import type { MessageKind } from "../schema.ts";
import { findHtml, htmlRemark } from "./html.pure.ts";
import { remarksOfLinks } from "./link-remarks.ts";
import { type PlacedContent, type ReadContent, readContent, traitsNamedIn } from "./read-content.pure.ts";

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

/** Parses the texts of messages. A long one takes tens of milliseconds, so other requests get a turn in between. */
export async function parseContents(
  kind: MessageKind,
  messages: readonly PlacedContent[],
): Promise<ReadContent[]> {
  const contents: ReadContent[] = [];
  for (const message of messages) {
    await setImmediate();
    contents.push(readContent(kind, message));
  }
  return contents;
}

/**
 * Prepares for the messages of one request, and answers what says of each what people should know of it before it is sent. What has
 * something to say of its messages plugs in.
 */
export type MessageRemarks = (
  ctx: Looking,
  kind: MessageKind,
) => Promise<(message: ReadContent) => Diagnostic[]>;
export const messageRemarks: Port<MessageRemarks> = port("message remarks");

/** HTML in texts of a message that are shown as they are written, on every channel. */
const remarksOfHtml = ({ texts }: ReadContent): Diagnostic[] =>
  texts.flatMap((text) => {
    const html = text.isPlain ? findHtml(text) : null;
    return html === null ? [] : [htmlRemark(html, text.path, "this text is plain")];
  });

async function remarksOf(
  ctx: Looking,
  kind: MessageKind,
  contents: readonly ReadContent[],
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const prepare of ctx.app.askAll(messageRemarks)) {
    const remarks = await prepare(ctx, kind);
    for (const message of contents) {
      // Writing a long message takes tens of milliseconds, so other requests get a turn in between.
      await setImmediate();
      found.push(...remarks(message));
    }
  }
  for (const message of contents) {
    await setImmediate();
    found.push(...remarksOfHtml(message));
    found.push(...remarksOfLinks(message, ctx.app.publicUrl()));
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
 * @param readAll reads the messages, or has read them
 */
async function warn(
  ctx: Looking,
  kind: MessageKind,
  readAll: () => Promise<readonly ReadContent[]>,
): Promise<{ warnings?: Diagnostic[] }> {
  const read = async () => {
    const contents = await readAll();
    const named = contents.flatMap(traitsNamedIn);
    return [
      ...(await remarksOf(ctx, kind, contents)),
      ...(named.length === 0 ? [] : await readWarnings(ctx, named)),
    ];
  };
  try {
    // Without the savepoint, a failed statement would fail the transaction of the write as well.
    const warnings = ctx.db.isTransaction ? await savepoint(ctx.db, "warnings", read) : await read();
    return warnings.length === 0 ? {} : { warnings: warnings.slice(0, MAX_DIAGNOSTICS) };
  } catch (cause) {
    ctx.app.log.warn({ err: cause, projectId: ctx.projectId }, "a message was not looked at for warnings");
    return {};
  }
}

/** The warnings of messages; see `warn`. */
export const warningsOf = async (
  ctx: Looking,
  kind: MessageKind,
  messages: readonly PlacedContent[],
): Promise<{ warnings?: Diagnostic[] }> =>
  messages.length === 0 ? {} : warn(ctx, kind, () => parseContents(kind, messages));

/** A message of which it is known what it is. */
export type MessageOfKind = PlacedContent & { kind: MessageKind };

/** The warnings of messages of several kinds; see `warn`. */
export async function warningsOfKinds(
  ctx: Looking,
  messages: readonly MessageOfKind[],
): Promise<{ warnings?: Diagnostic[] }> {
  const found: Diagnostic[] = [];
  for (const [kind, ofKind] of Map.groupBy(messages, (message) => message.kind))
    found.push(...((await warningsOf(ctx, kind, ofKind)).warnings ?? []));
  return found.length === 0 ? {} : { warnings: found.slice(0, MAX_DIAGNOSTICS) };
}

/** The warnings of messages of one kind whose texts are parsed already; see `warn`. */
export const warningsOfRead = async (
  ctx: Looking,
  kind: MessageKind,
  contents: readonly ReadContent[],
): Promise<{ warnings?: Diagnostic[] }> => warn(ctx, kind, async () => contents);
