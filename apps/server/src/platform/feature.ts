import type { Check } from "./checks.ts";
import type { AddCommands } from "./cli/command.ts";
import type { OperationCommand } from "./cli/operation-command.ts";
import type { Endpoint } from "./http/contract/endpoint.ts";
import type { Gateway } from "./http/gateway.ts";
import type { PublicFile } from "./http/public/public-file.ts";
import type { PublicRoute } from "./http/public/public-route.ts";
import type { Loop } from "./loops/loops.ts";
import type { Plug, Resource } from "./runtime.ts";

/** The parts that a feature adds to the server. */
export type Feature = {
  endpoints?: readonly Endpoint[];
  /** What the groups of operations are about that this room begins, by their name: the `tag` of their contracts. */
  tags?: Readonly<Record<string, string>>;
  checks?: readonly Check[];
  files?: readonly PublicFile[];
  routes?: readonly PublicRoute[];
  gateways?: readonly Gateway[];
  loops?: readonly Loop[];
  plugs?: readonly Plug[];
  /** What it adds to the command line: commands that spell an operation, as data, and others. */
  commands?: readonly (AddCommands | OperationCommand)[];
  /** What it shows at /metrics: each registers itself when it is made, which is at the start. */
  metrics?: readonly Resource<unknown>[];
};
