import type { JourneyDraft } from "../draft.ts";

/** What the parts of the form take. */
export type FormProps = {
  scope: string;
  draft: JourneyDraft;
  change: (draft: JourneyDraft) => void;
  /** Why the server has not taken it; null where it has, or was not asked. */
  fault: string | null;
};
