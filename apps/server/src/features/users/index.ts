import type { Feature } from "../../platform/feature.ts";
import { identify } from "./identify.ts";

export const users: Feature = { endpoints: [identify] };
