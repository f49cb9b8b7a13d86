import type { Feature } from "../../domain/feature.ts";

export const statistics: Feature = { room: "statistics" };
