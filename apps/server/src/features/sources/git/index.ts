import type { Feature } from "../../../domain/feature.ts";

export const git: Feature = { room: "sources/git" };
