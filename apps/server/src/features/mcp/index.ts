import type { Feature } from "../../platform/feature.ts";
import { all, reads } from "./gateways.ts";

export const mcp: Feature = { gateways: [all, reads] };
