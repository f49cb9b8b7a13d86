import type { z } from "zod";
import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { countNodes } from "../../audience/language/rules.ts";
import {
  type AudienceInput,
  MAX_NODES,
  type StoredAudience,
  type Targeting,
} from "../../audience/language/schema.ts";
import { targetingExpression } from "../../audience/language/targeting.pure.ts";
import { pinExpression, pinSegment } from "../../audience/segments/public.ts";
import { findGoal } from "../goals/public.ts";
import { countMedia } from "../media/public.ts";
import { ownMediaDigest } from "../media/rules.ts";
import { findTopic } from "../topics/public.ts";
import type { WebMessage } from "./message/message.pure.ts";

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

/** The goal that a request names. @throws ApiError when the project has no such goal. */
export async function resolveGoal(ctx: Ctx, goalId: string | null): Promise<string | null> {
  if (goalId === null) return null;
  const uuid = uuidOf("goal", goalId);
  const goal = uuid === null ? null : await findGoal(ctx.db, ctx.projectId, uuid);
  if (goal === null) throw refuse("goalId must be a goal of this project");
  return uuid;
}

/** The topic that a request names. @throws ApiError when the project has no such topic, or it is archived */
export async function resolveTopic(ctx: Ctx, topicId: string | null): Promise<string | null> {
  if (topicId === null) return null;
  const uuid = uuidOf("top", topicId);
  const topic = uuid === null ? null : await findTopic(ctx.db, ctx.projectId, ["id", uuid]);
  if (topic === null || topic.status === "archived")
    throw refuse("topicId must be a topic of this project that is not archived");
  return topic.id;
}

/** A message of a request and its place in the request. */
export type PlacedMessage = { at: string; content: Record<string, unknown> };

/** The place of a message in a request, which has one of its own or one in each of its variants. */
export const placeOfMessage = (body: { message?: unknown }, index: number): string =>
  body.message !== undefined ? "message" : `variants[${index}].message`;

/** The same place as a path from the root of the request. */
export const pathOfMessage = (body: { message?: unknown }, index: number): readonly (string | number)[] =>
  body.message !== undefined ? ["message"] : ["variants", index, "message"];

/** @throws ApiError for an image that is not one of the project's own. Only web messages have images. */
export async function assertMediaExists(ctx: Ctx, messages: readonly PlacedMessage[]): Promise<void> {
  const placeOf = new Map<string, string>();
  for (const { at, content } of messages) {
    const { media } = content as Pick<WebMessage, "media">;
    if (media === undefined) continue;
    const digest = ownMediaDigest(media.url, ctx.app.config.publicUrl, ctx.projectId);
    if (digest === null)
      throw refuse(
        `${at}.media.url must be an address that the campaign media upload of this project answered`,
      );
    placeOf.set(digest, at);
  }
  if (placeOf.size === 0 || (await countMedia(ctx.db, ctx.projectId, [...placeOf.keys()])) === placeOf.size)
    return;
  for (const [digest, at] of placeOf) {
    if ((await countMedia(ctx.db, ctx.projectId, [digest])) === 0)
      throw refuse(`${at}.media.url must be an image that was uploaded`);
  }
}

type Audience = z.output<typeof AudienceInput>;

/** Pins the audience of a request, so that later changes of a segment do not change the campaign. */
async function pinAudience(ctx: Ctx, audience: NonNullable<Audience>): Promise<StoredAudience> {
  switch (audience.kind) {
    case "all":
      return audience;
    case "expression":
      return pinExpression(ctx, audience);
    case "segment":
      return pinSegment(ctx, audience);
  }
}

/** The deprecated flat form as an expression of the same meaning. */
function storedTargeting(targeting: Targeting | null): StoredAudience {
  const expression = targeting === null ? null : targetingExpression(targeting);
  if (expression === null) return { kind: "all" };
  if (countNodes(expression.root) > MAX_NODES)
    throw refuse(
      `targeting must come to at most ${MAX_NODES} nodes: one per condition and group, two per not_seen`,
    );
  return { kind: "expression", expression, legacy: true };
}

/**
 * The audience of a request; undefined where it has none. Needs a transaction.
 * @throws ApiError when it has two, or names a segment or version that does not exist
 */
export async function resolveAudience(
  ctx: Ctx,
  { audience, targeting }: { audience?: Audience | undefined; targeting?: Targeting | null | undefined },
): Promise<StoredAudience | undefined> {
  if (audience !== undefined && targeting !== undefined) {
    throw refuse("audience and targeting must not be given together: targeting is deprecated");
  }
  if (audience !== undefined) return audience === null ? { kind: "all" } : pinAudience(ctx, audience);
  return targeting === undefined ? undefined : storedTargeting(targeting);
}

/** A list of pages as it is stored: an empty one means everywhere, like null. */
export const storedPages = (pages: string[] | null): string[] | null =>
  pages === null || pages.length === 0 ? null : pages;
