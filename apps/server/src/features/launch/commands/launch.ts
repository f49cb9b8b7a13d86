import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { setLaunchesPaused } from "../policy/set-launches-paused.ts";

/** `tidings launch pause` and `resume`: whether campaigns of a project launch by themselves. */
export const launchCommands = [
  operationCommand({
    words: "launch pause",
    operation: setLaunchesPaused,
    description: "keep every campaign of a project from launching by itself",
    sends: { paused: true },
    takesBy: true,
    says: () => "No campaign of the project launches by itself. Requests still launch.",
  }),
  operationCommand({
    words: "launch resume",
    operation: setLaunchesPaused,
    description: "let campaigns of a project launch by themselves again",
    sends: { paused: false },
    takesBy: true,
    says: () => "Campaigns of the project launch by themselves again, as their modes say.",
  }),
];
