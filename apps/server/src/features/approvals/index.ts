import type { Feature } from "../../platform/feature.ts";
import { approvalCommands } from "./commands/approvals.ts";

export const approvals: Feature = { commands: [approvalCommands] };
