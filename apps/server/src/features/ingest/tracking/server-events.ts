import { z } from "zod";
import type { Principal } from "../../../platform/http/endpoint.ts";

/** Says of an event that nothing was recorded. */
export const IgnoredEvent = z
  .literal(true)
  .optional()
  .describe("Nothing was recorded: events of this name count only from the secret key.");

/** Whether an event counts only from the secret key (`identity.serverEvents`), and came from another one. */
export const isServerEvent = ({ keyKind, perimeter }: Principal, event: string): boolean =>
  keyKind === "publishable" && perimeter !== undefined && perimeter.serverEvents.has(event);
