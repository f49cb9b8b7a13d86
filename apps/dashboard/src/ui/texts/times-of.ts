import { zoneName } from "../../platform/times.ts";
import { words } from "../words.ts";

/** Whose clock the times of a page are of, as a sentence. */
export const timesOf = (): string => words.timesOf(zoneName());
