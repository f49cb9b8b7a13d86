import type { Feature } from "../../../domain/feature.ts";
import { visitorSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const identities: Feature = {
  room: "users/identities",
  tables,
  settings: [visitorSettingGroup],
};
