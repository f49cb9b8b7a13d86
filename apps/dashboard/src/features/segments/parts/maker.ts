import { words } from "../words.ts";

/** The maker of something: the name of a person where it is known. */
export const makerOf = ({ madeBy, createdBy }: { madeBy: string | null; createdBy: string }): string =>
  madeBy ?? words.makers[createdBy] ?? words.program;
