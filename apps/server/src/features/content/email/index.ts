import type { Feature } from "../../../domain/feature.ts";

export const emailContent: Feature = { room: "content/email" };
