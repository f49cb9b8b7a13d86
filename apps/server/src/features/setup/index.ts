import type { Feature } from "../../domain/feature.ts";
import { getSetup } from "./get-setup.ts";

export const setup: Feature = { room: "setup", endpoints: [getSetup] };
