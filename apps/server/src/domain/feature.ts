import type { Check } from "../platform/checks.ts";
import type { AddCommands } from "../platform/cli/command.ts";
import type { OperationCommand } from "../platform/cli/operation-command.ts";
import type { Endpoint } from "../platform/http/contract/endpoint.ts";
import type { Gateway } from "../platform/http/gateway.ts";
import type { OutgoingMessage } from "../platform/http/openapi/outgoing.ts";
import type { PublicFile } from "../platform/http/public/public-file.ts";
import type { PublicRoute } from "../platform/http/public/public-route.ts";
import type { Loop } from "../platform/loops/loops.ts";
import type { Plug, Resource } from "../platform/runtime.ts";
import type { SettingGroup } from "../platform/settings/setting.ts";
import type { RoomTables } from "./tables.ts";

/** What a room brings into the house. */
export type Feature = {
  /** Its folder in `features`, such as `campaigns/goals`. The platform has one of its own: `platform`. */
  room: string;
  /** The tables that it declares: only its stores write them. */
  tables?: RoomTables;
  /** What people own of it, with the rules among these settings. */
  settings?: readonly SettingGroup[];
  endpoints?: readonly Endpoint[];
  /** What the groups of operations are about that this room begins, by their name: the `tag` of their contracts. */
  tags?: Readonly<Record<string, string>>;
  /** What it sends to addresses of customers. */
  outgoing?: readonly OutgoingMessage[];
  checks?: readonly Check[];
  files?: readonly PublicFile[];
  routes?: readonly PublicRoute[];
  gateways?: readonly Gateway[];
  loops?: readonly Loop[];
  plugs?: readonly Plug[];
  /** Groups of commands that it begins, by their name, with what `--help` says of them. Other rooms may add to them. */
  commandGroups?: Readonly<Record<string, string>>;
  /** What it adds to the command line: commands that spell an operation, as data, and others. */
  commands?: readonly (AddCommands | OperationCommand)[];
  /** What it shows at /metrics: each registers itself when it is made, which is at the start. */
  metrics?: readonly Resource<unknown>[];
};
