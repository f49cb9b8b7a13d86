import type { Feature } from "../../../domain/feature.ts";

export const providers: Feature = { room: "push/providers" };
