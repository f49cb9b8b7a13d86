import type { Db } from "../../../platform/db/db.ts";
import type { CampaignTopic } from "../../campaigns/topics/public.ts";
import { type AddressRef, keepAddress } from "../../email/addresses/public.ts";
import {
  type Choice,
  type Chooser,
  type ConsentProof,
  logConsents,
  ofAddress,
  writeChoices,
} from "./choices-store.ts";
import type { ConsentAction } from "./rules.ts";
import { findTopicChoices } from "./topic-store.ts";

/**
 * Writes what a reader chose, and logs what changed of it; answers the topics (UUIDs) that changed. Needs a transaction.
 * @param as what is logged where they join: `confirmed` after a mail that asked
 */
export async function choose(
  tx: Db,
  projectId: string,
  chooser: Chooser,
  choices: readonly Choice[],
  proof: ConsentProof,
  as: "joined" | "confirmed" = "joined",
): Promise<string[]> {
  if (choices.length === 0) return [];
  const changed = new Set(await writeChoices(tx, projectId, chooser, choices, proof.at));
  const acts = choices.flatMap(({ topicId, isIn }) => {
    const action: ConsentAction = isIn ? as : "left";
    return changed.has(topicId) ? [{ topicId, action }] : [];
  });
  await logConsents(tx, projectId, chooser, acts, proof);
  return [...changed];
}

/** The same of an address, which no mail is leased for until the transaction ends. `address` is its text; null where it is not known. */
export async function chooseForAddress(
  tx: Db,
  projectId: string,
  ref: AddressRef & { address: string | null },
  choices: readonly Choice[],
  proof: ConsentProof,
  as: "joined" | "confirmed" = "joined",
): Promise<string[]> {
  await keepAddress(tx, projectId, ref, ref.address);
  return choose(tx, projectId, ofAddress(ref), choices, proof, as);
}

/** What owners of addresses have chosen of the topic of a campaign, by the key of the address. Nothing is read where there is no topic. */
export async function choicesOf(
  client: Parameters<typeof findTopicChoices>[0],
  topic: CampaignTopic | null,
  addresses: readonly (AddressRef & { projectId: string })[],
): Promise<ReadonlyMap<string, boolean>> {
  if (topic === null || addresses.length === 0) return new Map();
  const looked = addresses.map(({ lane, addressKey, projectId }) => ({
    lane,
    addressKey,
    projectId,
    topicId: topic.id,
  }));
  const found = await findTopicChoices(client, looked);
  return new Map(found.map(({ address_key, is_in }) => [address_key, is_in]));
}
