import { type App, type Port, port } from "../../../platform/runtime.ts";
import type { PushClient } from "../providers/reply.pure.ts";

/** The way of a project whose pushes stay in the house, which is the demo's; null for those that go to their provider. */
type LocalWay = (app: App, projectId: string) => Promise<PushClient | null>;

export const localPushes: Port<LocalWay> = port("local pushes");
