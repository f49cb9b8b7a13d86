import { z } from "zod";
import type { Principal } from "../../../platform/http/contract/endpoint.ts";

/** The field of an answer that says that an event was not recorded. */
export const IgnoredEvent = z
  .literal(true)
  .optional()
  .describe("Nothing was recorded: events of this name count only from the secret key.");

/** Whether an event counts only from the secret key (`identity.serverEvents`), and came with the publishable one. */
export const isServerEvent = ({ keyKind, perimeter }: Principal, event: string): boolean =>
  keyKind === "publishable" && perimeter !== undefined && perimeter.serverEvents.has(event);
