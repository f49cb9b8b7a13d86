import type { JourneyDraft } from "../draft.ts";

/** What the parts of the form take. */
export type FormProps = {
  scope: string;
  draft: JourneyDraft;
  change: (draft: JourneyDraft) => void;
  /** Why the server has not taken it; null where it has, or was not asked. */
  fault: string | null;
  /** Names of campaigns of steps by their ids. */
  nameOf?: (campaignId: string) => string | null;
};
