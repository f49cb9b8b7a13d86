import type { Feature } from "../../domain/feature.ts";
import { all, reads } from "./gateways.ts";

export const mcp: Feature = { room: "mcp", gateways: [all, reads] };
