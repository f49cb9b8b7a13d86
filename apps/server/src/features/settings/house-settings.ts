import { type Port, port } from "../../platform/runtime.ts";
import type { SettingGroup } from "../../platform/settings/setting.ts";

/** The settings of every room, as people read them, which only the root of the house knows. */
export const houseSettings: Port<() => readonly SettingGroup[]> = port("settings of the house");
