import type { PushContent } from "../../content/push/message.pure.ts";
import { fillPush } from "../../content/push/payload.pure.ts";
import type { TemplateUser } from "../../content/template/template.pure.ts";
import type { PushDefinition } from "./definitions.ts";

/** The content for one user, and `own`: what is stored of it, null where all users get the same. Or why it cannot be written. */
export type FilledPush =
  | { content: PushContent; own: string | null }
  | { reason: "trait_missing"; missing: string }
  | { reason: "campaign_not_ready" };

/** Fills the personal fields of a definition for a user. */
export function fillDefinition(
  { compiled }: Pick<PushDefinition, "compiled">,
  person: TemplateUser,
): FilledPush {
  const filled = fillPush(compiled, person);
  if ("missing" in filled) return { reason: "trait_missing", missing: filled.missing };
  // The traits make the push longer than it may be, and no text is ever cut.
  if ("fault" in filled) return { reason: "campaign_not_ready" };
  const { content } = filled;
  return { content, own: compiled.isStatic ? null : JSON.stringify(content) };
}
