import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { savepoint } from "../../../platform/db/savepoint.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { type NamedTrait, warnOfTraits } from "../../audience/language/parse/diagnose.pure.ts";
import { MAX_DIAGNOSTICS, type Path } from "../../audience/language/parse/diagnostics.pure.ts";
import { Diagnostic } from "../../audience/language/schema.ts";
import { findUnknownTraits } from "../../counting/rollups/public.ts";
import { traitsNamedIn } from "./named-traits.ts";
import type { Channel } from "./schema.ts";

/** The field of an answer with warnings about its messages. */
export const withWarnings = {
  warnings: z
    .array(Diagnostic)
    .max(MAX_DIAGNOSTICS)
    .describe(
      "Personal fields that name a trait which no user has: likely a slip of the pen. Absent where there is nothing to warn of.",
    )
    .optional(),
};

/** A message and its place in the request; the root where the request has no message. */
type PlacedContent = { content: unknown; at: Path };

async function readWarnings(ctx: Ctx, named: readonly NamedTrait[]): Promise<Diagnostic[]> {
  const names = [...new Set(named.map(({ name }) => name))];
  const { unknown, known } = await findUnknownTraits(ctx.db, ctx.projectId, names);
  const found = named.filter(({ name }) => unknown.has(name));
  return warnOfTraits(found.slice(0, MAX_DIAGNOSTICS), known);
}

/**
 * The warnings of messages whose personal fields name traits that no user has; no field where there are none. Never fails the request:
 * where the names of traits cannot be read, there are no warnings.
 */
export async function warningsOf(
  ctx: Ctx,
  channel: Channel,
  messages: readonly PlacedContent[],
): Promise<{ warnings?: Diagnostic[] }> {
  const named: NamedTrait[] = [];
  for (const { content, at } of messages) {
    // Parsing a long text takes milliseconds, so other requests get a turn in between.
    await setImmediate();
    named.push(...traitsNamedIn(channel, content, at));
  }
  if (named.length === 0) return {};
  const read = () => readWarnings(ctx, named);
  try {
    // Without the savepoint, a failed statement would fail the transaction of the write as well.
    const warnings = ctx.db.isTransaction ? await savepoint(ctx.db, "warnings", read) : await read();
    return warnings.length === 0 ? {} : { warnings };
  } catch (cause) {
    ctx.app.log.warn({ err: cause, projectId: ctx.projectId }, "a message was not looked at for warnings");
    return {};
  }
}
