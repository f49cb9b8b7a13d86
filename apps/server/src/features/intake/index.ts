import type { Feature } from "../../domain/feature.ts";
import { analyticsMetrics, analyticsSettings } from "./analytics-settings.ts";
import { forgetCallsLoop } from "./counts.ts";
import { getIntake } from "./get-intake.ts";
import { sendCalls } from "./send-calls.ts";
import { intakeSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const intake: Feature = {
  room: "intake",
  tables,
  settings: [intakeSettingGroup],
  endpoints: [sendCalls, getIntake],
  routes: [analyticsSettings, analyticsMetrics],
  loops: [forgetCallsLoop],
  tags: {
    Intake: "What libraries of other services send, so that a product keeps the one that it has.",
  },
};
