import { type App, type Port, port } from "../../../platform/runtime.ts";
import type { PushClient } from "../providers/reply.pure.ts";

/** The client of a project whose pushes stay on this server (the demo shop); null where pushes go to their provider. */
type LocalWay = (app: App, projectId: string) => Promise<PushClient | null>;

export const localPushes: Port<LocalWay> = port("local pushes");
