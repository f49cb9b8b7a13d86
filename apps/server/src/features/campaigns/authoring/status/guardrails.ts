import { setImmediate } from "node:timers/promises";
import { uuidOf } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { isListed } from "../../../access/perimeter/hosts.pure.ts";
import { controlShare, type Guardrails, readGuardrails } from "../../goals/guardrails.pure.ts";
import { phraseIn } from "../../goals/phrases.pure.ts";
import { findGoal, GuardrailViolation, unreadable } from "../../goals/public.ts";
import { breakOf, isRateGuardrail } from "../../goals/rates.pure.ts";
import { hostsOf } from "../message/links.pure.ts";
import { readMessage } from "../message/messages.ts";
import { messageTexts, readingsOf } from "../message/texts.pure.ts";
import { messageKindOf, placeInWindow } from "../rules.ts";
import type { MessageKind, UpdateCampaignBody, VariantPatch } from "../schema.ts";
import { type CampaignRow, countActive, listVariants, type VariantRow } from "../store.ts";
import { openBreaches } from "./breaches-store.ts";

/** What guardrails ask of a campaign. `id` and `goalId` are UUIDs. */
export type Guarded = Pick<
  CampaignRow,
  "id" | "channel" | "purpose" | "goalId" | "topicId" | "deliverFrom" | "deliverUntil"
>;

type Where = Pick<Ctx, "db" | "projectId" | "now">;

/** Floating-point shares of whole weights may differ from the limit by less than this. */
const EPSILON = 1e-9;

/**
 * The limits of a campaign's goal; null where it has no goal. Locks the goal, after the campaign, so that launches under one goal follow
 * each other and see each other.
 */
async function lockLimits({ db, projectId }: Where, { goalId }: Guarded, lock: "lock" | "read" = "lock") {
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId, lock);
  return goal === null ? null : readGuardrails(goal.guardrails);
}

/** A forbidden phrase in a text of the variants: where the first one is, and how many texts have one. */
export type FoundPhrase = { field: string; phrase: string; texts: number };

/** Looks for forbidden phrases in all texts that people read. Parsing takes time, so others get a turn in between. */
export async function findPhrase(
  kind: MessageKind,
  variants: readonly Pick<VariantRow, "content">[],
  phrases: readonly string[],
): Promise<FoundPhrase | null> {
  const found: { field: string; phrase: string }[] = [];
  for (const [index, { content }] of variants.entries()) {
    await setImmediate();
    for (const text of messageTexts(kind, content)) {
      const phrase = phraseIn(readingsOf(text), phrases);
      if (phrase !== null) found.push({ field: `variants[${index}].message.${text.field}`, phrase });
    }
  }
  const [first] = found;
  return first === undefined ? null : { ...first, texts: found.length };
}

/** A link to a host that is not allowed: where the first one is, and how many there are. */
export type FoundHost = { field: string; host: string; links: number };

/** Looks for links of messages to hosts that are not allowed. Parsing takes time, so others get a turn in between. */
export async function findHost(
  channel: CampaignRow["channel"],
  variants: readonly { content: unknown }[],
  isAllowed: (host: string) => boolean,
): Promise<FoundHost | null> {
  const found: { field: string; host: string }[] = [];
  for (const [index, { content }] of variants.entries()) {
    await setImmediate();
    for (const { field, host } of hostsOf(content, channel))
      if (!isAllowed(host)) found.push({ field: `variants[${index}].message.${field}`, host });
  }
  const [first] = found;
  return first === undefined ? null : { ...first, links: found.length };
}

/** Looks for links to hosts that a goal does not list; nothing where it lists none. */
export const findForbiddenHost = async (
  channel: CampaignRow["channel"],
  variants: readonly { content: unknown }[],
  { allowedHosts }: Guardrails,
): Promise<FoundHost | null> =>
  allowedHosts === undefined ? null : findHost(channel, variants, (host) => isListed(allowedHosts, host));

/** Refuses what messages say, and where their links lead, if the goal does not allow it. */
async function assertMessages(
  where: Where,
  campaign: Guarded,
  limits: Guardrails,
  changed?: readonly VariantRow[],
): Promise<void> {
  if (limits.forbiddenPhrases === undefined && limits.allowedHosts === undefined) return;
  const variants = changed ?? (await listVariants(where.db, where.projectId, campaign.id));
  await assertPhrases(campaign, limits, variants);
  const found = await findForbiddenHost(campaign.channel, variants, limits);
  if (found === null) return;
  const { field, host, links } = found;
  throw new GuardrailViolation(
    `${field} links to ${host}, which the goal does not allow (guardrails.allowedHosts).`,
    { guardrail: "allowedHosts", limit: 0, observed: links, field, host },
  );
}

async function assertPhrases(
  campaign: Guarded,
  { forbiddenPhrases }: Guardrails,
  variants: readonly VariantRow[],
): Promise<void> {
  if (forbiddenPhrases === undefined) return;
  const found = await findPhrase(messageKindOf(campaign), variants, forbiddenPhrases);
  if (found === null) return;
  const { field, phrase, texts } = found;
  throw new GuardrailViolation(
    `${field} contains "${phrase}", which the goal forbids (guardrails.forbiddenPhrases).`,
    { guardrail: "forbiddenPhrases", limit: 0, observed: texts, field, phrase },
  );
}

async function assertRoom(
  where: Where,
  { id, goalId, purpose }: Guarded,
  { maxActiveCampaigns }: Guardrails,
): Promise<void> {
  // A template reaches no user by being live.
  if (maxActiveCampaigns === undefined || goalId === null || purpose === "transactional") return;
  const others = await countActive(where.db, where.projectId, { goalId, except: id, now: where.now });
  if (others + 1 <= maxActiveCampaigns) return;
  throw new GuardrailViolation(
    `The goal allows ${maxActiveCampaigns} running or scheduled campaigns (guardrails.maxActiveCampaigns): pause or end another one first.`,
    { guardrail: "maxActiveCampaigns", limit: maxActiveCampaigns, observed: others + 1 },
  );
}

function assertNotQuiet({ now }: Where, { deliverFrom, purpose }: Guarded, { quietUntil }: Guardrails): void {
  const begin = Math.max(now, deliverFrom ?? now);
  if (quietUntil === undefined || begin >= quietUntil || purpose === "transactional") return;
  throw new GuardrailViolation(
    `No campaign of the goal may begin before ${new Date(quietUntil).toISOString()} (guardrails.quietUntil): wait, or set deliverFrom.`,
    { guardrail: "quietUntil", limit: quietUntil, observed: begin },
  );
}

async function assertControl(
  where: Where,
  { id }: Guarded,
  { minControlShare }: Guardrails,
  changed?: readonly VariantRow[],
): Promise<void> {
  if (minControlShare === undefined) return;
  const share = controlShare(changed ?? (await listVariants(where.db, where.projectId, id)));
  if (share >= minControlShare - EPSILON) return;
  throw new GuardrailViolation(
    `The control must have at least ${minControlShare} of the weights (guardrails.minControlShare).`,
    { guardrail: "minControlShare", limit: minControlShare, observed: share },
  );
}

/** A campaign that was paused for a rate stays so while the counts of then break the limit of now. What a text says is looked at anew. */
async function assertNoBreach({ db, projectId }: Where, { id }: Guarded, limits: Guardrails): Promise<void> {
  for (const { guardrail, counts } of await openBreaches(db, projectId, id)) {
    const limit = isRateGuardrail(guardrail) ? limits[guardrail] : undefined;
    if (limit === undefined || !isRateGuardrail(guardrail)) continue;
    const broken = breakOf(guardrail, limit, counts);
    if (broken === null) continue;
    throw new GuardrailViolation(
      `This campaign was paused because it broke guardrails.${guardrail}: a person has to clear that (Approvals in the dashboard, or tidings guardrails clear), or the goal needs another limit.`,
      { guardrail, limit, observed: broken.observed },
    );
  }
}

/**
 * Refuses a launch that the goal's guardrails do not allow. Needs the transaction of the launch, with the campaign locked or just
 * inserted; with "read" nothing is launched, and nothing locked. @throws GuardrailViolation also where a guardrail cannot be read: a limit that is unclear allows nothing
 */
export async function assertLaunchAllowed(
  where: Where,
  campaign: Guarded,
  lock: "lock" | "read" = "lock",
): Promise<void> {
  const read = await lockLimits(where, campaign, lock);
  if (read === null) return;
  if ("fault" in read) throw unreadable(read.fault);
  await assertRoom(where, campaign, read.limits);
  assertNotQuiet(where, campaign, read.limits);
  await assertMessages(where, campaign, read.limits);
  await assertControl(where, campaign, read.limits);
  await assertNoBreach(where, campaign, read.limits);
}

/** Refuses a new campaign whose texts, links or split its goal forbids. @throws GuardrailViolation */
export async function assertNewAllowed(where: Where, campaign: Guarded): Promise<void> {
  const read = await lockLimits(where, campaign);
  if (read === null || "fault" in read) return;
  await assertMessages(where, campaign, read.limits);
  await assertControl(where, campaign, read.limits);
}

/** Whether variants are added, or weights or the control change. */
const movesWeights = ({ variants = [] }: UpdateCampaignBody): boolean =>
  variants.some(
    ({ id, weight, isControl }) => id === undefined || weight !== undefined || isControl !== undefined,
  );

/**
 * Refuses a change that the guardrails of the campaign's goal do not allow; of what the change leaves alone, nothing is said. `after` is
 * the campaign as it was just written. A running campaign that takes this goal, that was over, or that begins at another
 * instant is launched under the goal as it were. @throws GuardrailViolation
 */
export async function assertChangeAllowed(
  where: Where,
  before: CampaignRow,
  after: CampaignRow,
  body: UpdateCampaignBody,
): Promise<void> {
  const { now } = where;
  const isLinked = after.goalId !== before.goalId;
  const isActive = after.status === "running" && placeInWindow(after, now) !== "over";
  const was = placeInWindow(before, now);
  const isLaunched = isActive && (isLinked || was === "over");
  const isMoved = isActive && was === "before" && after.deliverFrom !== before.deliverFrom;
  const hasTexts = isLinked || body.message !== undefined || body.variants !== undefined;
  if (!isLaunched && !isMoved && !hasTexts) return;
  const read = await lockLimits(where, after);
  if (read === null) return;
  if ("fault" in read) {
    if (isLaunched || isMoved) throw unreadable(read.fault);
    return;
  }
  if (isLaunched) await assertRoom(where, after, read.limits);
  if (isLaunched || isMoved) assertNotQuiet(where, after, read.limits);
  if (hasTexts || isLaunched) await assertMessages(where, after, read.limits);
  if (isLinked || isLaunched || movesWeights(body)) await assertControl(where, after, read.limits);
  if (isLaunched) await assertNoBreach(where, after, read.limits);
}

/** A variant with a patch. A message that its channel cannot read is not a text that people could read: it changes nothing here. */
async function patched(
  kind: MessageKind,
  variant: VariantRow,
  patch: VariantPatch | undefined,
): Promise<VariantRow> {
  if (patch === undefined) return variant;
  const { weight = variant.weight, message } = patch;
  if (message === undefined) return { ...variant, weight };
  const content = await readMessage(kind, message, []).catch((error: unknown) => {
    if (error instanceof ApiError) return variant.content;
    throw error;
  });
  return { ...variant, weight, content };
}

/** Variants as patches would leave them. */
export async function patchedVariants(
  kind: MessageKind,
  before: readonly VariantRow[],
  patches: readonly VariantPatch[],
): Promise<VariantRow[]> {
  const variants: VariantRow[] = [];
  for (const variant of before) {
    const patch = patches.find(({ id }) => uuidOf("var", id ?? "") === variant.id);
    variants.push(await patched(kind, variant, patch));
  }
  return variants;
}

/**
 * Refuses new texts and weights of variants that the guardrails of the campaign's goal do not allow, before they are written and whatever
 * else is wrong with them. Needs the campaign locked. @throws GuardrailViolation
 */
export async function assertVariantsAllowed(
  where: Where,
  campaign: Guarded,
  patches: readonly VariantPatch[],
): Promise<void> {
  const read = await lockLimits(where, campaign);
  if (read === null || "fault" in read) return;
  const before = await listVariants(where.db, where.projectId, campaign.id);
  const variants = await patchedVariants(messageKindOf(campaign), before, patches);
  await assertMessages(where, campaign, read.limits, variants);
  const hasShares = variants.some(({ weight }) => weight > 0);
  if (hasShares && movesWeights({ variants: [...patches] }))
    await assertControl(where, campaign, read.limits, variants);
}
