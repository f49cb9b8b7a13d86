import { hash } from "node:crypto";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { sortedJson } from "../../content/push/public.ts";
import type { ReportedCommand } from "./rules.ts";
import type { Command } from "./schema.ts";

/** A command with the JSON that is stored of it. */
export type Read = ReportedCommand & { command: Command; json: string };

/** Reads a command. Its digest does not depend on the order of keys in props, because apps may write them in any order. */
export function read(command: Command): Read {
  const { id, sequence } = command;
  const content =
    command.kind === "event" && command.props !== undefined
      ? { ...command, props: JSON.parse(command.props.json) as unknown }
      : command;
  const json = sortedJson(content);
  return { id, sequence, digest: hash("sha256", json), command, json };
}

export const refuseObservation = (message: string): ApiError => new ApiError("conflict", message);
