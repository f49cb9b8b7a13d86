import type { Feature } from "../../../domain/feature.ts";

export const template: Feature = { room: "content/template" };
