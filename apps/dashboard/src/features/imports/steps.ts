import type { UseQueryResult } from "@tanstack/react-query";
import type { Planning } from "./plan.ts";
import type { FileLook, ImportFile } from "./rules.ts";

/** What each step of a file is shown with. */
export type StepProps = {
  scope: string;
  file: ImportFile;
  look: UseQueryResult<FileLook>;
  planning: Planning;
  /** Which step it is, from 1; null where all is over. */
  place: number | null;
};
