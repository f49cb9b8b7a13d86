import type { Feature } from "../../../domain/feature.ts";

export const language: Feature = { room: "audience/language" };
