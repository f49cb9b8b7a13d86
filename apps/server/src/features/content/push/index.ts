import type { Feature } from "../../../domain/feature.ts";

export const pushContent: Feature = { room: "content/push" };
