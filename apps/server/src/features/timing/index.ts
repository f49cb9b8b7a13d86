import type { Feature } from "../../domain/feature.ts";
import { previewTiming } from "./preview-timing.ts";
import { timingSettingGroup } from "./settings.pure.ts";

/** When the messages of campaigns leave: at the hour of each reader, outside of quiet hours, and no more than they bear. */
export const timing: Feature = {
  room: "timing",
  settings: [timingSettingGroup],
  endpoints: [previewTiming],
};
