import { ORGANIZATION } from "../../../platform/client.ts";
import { useMe } from "../../../platform/me.ts";
import { isDemoOffered } from "../month.pure.ts";
import { DemoMonth } from "./demo-month.tsx";

/** The demo shop with its month, for those who may make it, as long as there is none. */
export function DemoOffer() {
  return isDemoOffered(useMe()) ? <DemoMonth scope={ORGANIZATION} /> : null;
}
