export { changeSettings } from "./change.ts";
export { LastChange } from "./contract.ts";
export { houseSettings } from "./house-settings.ts";
export { changesOfPerson } from "./people-changes.ts";
export {
  listSettingChanges,
  listSettings,
  readLastChange,
  readNumber,
  readOrganizationSettings,
  readSettings,
  readSome,
  type ShownChange,
  type ShownSetting,
  settingBinding as settingSealedAs,
} from "./read.ts";
export { rememberedSetting } from "./remembered.ts";
export { isByOperator } from "./store.ts";
