import type { PushContent } from "../../content/push/message.pure.ts";
import { fillPush } from "../../content/push/payload.pure.ts";
import type { Person } from "../../content/template/template.pure.ts";
import type { Definition } from "./definitions.ts";
import type { Waiting } from "./schema.ts";

/** A content for one user, and what of it is stored: null where it says the same to everybody. Or why it cannot be said. */
export type Filled = { content: PushContent; own: string | null } | { reason: Waiting };

/** Fills a wording in for a user. */
export function fillDefinition({ compiled }: Definition, person: Person): Filled {
  const filled = fillPush(compiled, person);
  if ("missing" in filled) return { reason: "trait_missing" };
  // Traits that make it longer than it may be: nothing is ever cut.
  if ("fault" in filled) return { reason: "campaign_not_ready" };
  const { content } = filled;
  return { content, own: compiled.isStatic ? null : JSON.stringify(content) };
}
