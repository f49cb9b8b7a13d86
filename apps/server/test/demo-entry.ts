import { makeEntryToken } from "../src/features/demo/public.ts";
import type { TestHouse } from "./harness.ts";

/** The token in the addresses that the start of a house would print. */
export const entryToken = ({ tidings, now }: TestHouse): string => makeEntryToken(tidings.app.secrets, now());

/** The headers of a browser that has come by such an address. */
export const entered = (house: TestHouse): { cookie: string } => ({
  cookie: `tidings.demo=${entryToken(house)}`,
});
