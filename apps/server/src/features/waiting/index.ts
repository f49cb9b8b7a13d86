import type { Feature } from "../../domain/feature.ts";
import { getWaiting } from "./get-waiting.ts";

export const waiting: Feature = { room: "waiting", endpoints: [getWaiting] };
