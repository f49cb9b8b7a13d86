import type { Feature } from "../../platform/feature.ts";
import { getSetup } from "./get-setup.ts";

export const setup: Feature = { endpoints: [getSetup] };
