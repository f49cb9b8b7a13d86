import type { Feature } from "../../../domain/feature.ts";

export const github: Feature = { room: "sources/github" };
