import { useDebouncedCallback } from "@mantine/hooks";
import { useRef, useState } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { isRefused } from "../../../platform/client.ts";
import { keep, readKept } from "../../../platform/kept.ts";
import { useChange } from "../../../platform/operations.ts";

import {
  type CampaignDraft,
  draftFromCampaign,
  ontoTheirs,
  type Patch,
  patchOf,
  withIds,
  withoutBegun,
} from "./draft.ts";

const SAVE_AFTER_MS = 1_000;
const STALE = [
  ...(["getCampaign", "listCampaigns", "takeCampaignCensus", "getApproval", "listApprovals"] as const),
  "listAuditEntries",
] as const;

/** A draft, and the campaign that it began as: `base` is what the server has, by its revision. */
type State = { draft: CampaignDraft; base: CampaignDraft; revision: string };

const stateOf = (campaign: CampaignDetail): State => {
  const draft = draftFromCampaign(campaign);
  return { draft, base: draft, revision: campaign.revision };
};

export type Editing = {
  draft: CampaignDraft;
  change: (draft: CampaignDraft) => void;
  /** The campaign as the server has it. */
  base: CampaignDraft;
  /** What the server does not have yet; null for nothing. */
  patch: Patch | null;
  /** What `patch` applies to. */
  revision: string;
  isSaving: boolean;
  /** Why saving failed. */
  problem: unknown;
  /** Whether a person wanted it saved: what saves itself may be refused for what they are still writing. */
  wasRequested: boolean;
  /** Whether another person or program has changed the campaign since. */
  isStale: boolean;
  /** Sends what the server does not have; answers whether it has all of it then. */
  save: () => Promise<boolean>;
  /** Begins anew with the campaign as it is. */
  takeTheirs: () => void;
  /** Keeps the draft, as a change of the campaign as it is. */
  keepMine: () => void;
};

/**
 * A campaign that a person edits. One that is a draft saves itself a second after the last change; of any other the changes gather until
 * they are saved. What is not saved outlives a reload.
 */
export function useDraft(scope: string, campaign: CampaignDetail): Editing {
  const { id } = campaign;
  const savesItself = campaign.status === "draft";
  const saving = useChange(scope, "updateCampaign", STALE);
  const [state, setState] = useState<State>(() => readKept<State>(id) ?? stateOf(campaign));
  // What a reload has kept may be a change of a campaign that is another one by now.
  const [wasRequested, setRequested] = useState(false);
  const [beganStale, setBeganStale] = useState(state.revision !== campaign.revision);
  // What is sent later is what the person has written by then, not what was drawn when it was asked for.
  const now = useRef(state);
  const queue = useRef(Promise.resolve(true));

  function put(next: State): void {
    now.current = next;
    setState(next);
    keep(id, patchOf(next.base, next.draft) === null ? null : next);
  }

  /** @param byItself a part that is only begun stays here, until a person saves it or has written more */
  async function send(byItself: boolean): Promise<boolean> {
    const { draft: written, base, revision } = now.current;
    const sent = byItself ? withoutBegun(base, written) : written;
    const patch = patchOf(base, sent);
    if (patch === null) {
      // What was refused before is about a part that is being written anew.
      if (byItself) saving.reset();
      return patchOf(base, written) === null;
    }
    try {
      const { campaign: saved } = await saving.mutateAsync({
        path: { id },
        body: { ...patch, expectedRevision: revision },
      });
      const { draft } = now.current;
      put({ draft: withIds(draft, saved), base: withIds(sent, saved), revision: saved.revision });
      return patchOf(now.current.base, now.current.draft) === null;
    } catch {
      return false;
    }
  }

  // One after the other: the second one is for the revision that the first one makes.
  const queued = (byItself: boolean): Promise<boolean> => {
    queue.current = queue.current.then(() => send(byItself));
    return queue.current;
  };
  async function save(): Promise<boolean> {
    const isSaved = await queued(false);
    setRequested(!isSaved);
    return isSaved;
  }
  const saveLater = useDebouncedCallback(() => void queued(true), SAVE_AFTER_MS);
  const patch = patchOf(state.base, state.draft);
  const isStale =
    patch !== null && campaign.revision !== state.revision && (beganStale || isRefused(saving.error, 409));
  return {
    draft: state.draft,
    base: state.base,
    patch,
    revision: state.revision,
    save,
    isSaving: saving.isPending,
    wasRequested,
    // That it is stale has an answer of its own.
    problem: patch === null || isStale ? null : saving.error,
    isStale,
    change(draft) {
      put({ ...now.current, draft });
      if (savesItself) saveLater();
    },
    takeTheirs() {
      saving.reset();
      setBeganStale(false);
      put(stateOf(campaign));
    },
    keepMine() {
      saving.reset();
      setBeganStale(false);
      const { base, revision } = stateOf(campaign);
      put({ draft: ontoTheirs(now.current.draft, base), base, revision });
      if (savesItself) saveLater();
    },
  };
}
