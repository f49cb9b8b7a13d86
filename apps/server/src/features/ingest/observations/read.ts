import { hash } from "node:crypto";
import { ApiError } from "../../../platform/http/errors.ts";
import { canonicalJson } from "../../content/push/public.ts";
import type { Reported } from "./rules.ts";
import type { Command } from "./schema.ts";

/** A command with its JSON, as it is kept. */
export type Read = Reported & { command: Command; json: string };

/** The same command has the same digest, in whatever order the keys of its props come: apps write them in any. */
export function read(command: Command): Read {
  const { id, sequence } = command;
  const said =
    command.kind === "event" && command.props !== undefined
      ? { ...command, props: JSON.parse(command.props.json) as unknown }
      : command;
  const json = canonicalJson(said);
  return { id, sequence, digest: hash("sha256", json), command, json };
}

export const refuse = (message: string): ApiError => new ApiError("conflict", message);
