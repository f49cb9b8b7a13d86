import type { Feature } from "../../platform/feature.ts";
import { getWaiting } from "./get-waiting.ts";

export const waiting: Feature = { endpoints: [getWaiting] };
