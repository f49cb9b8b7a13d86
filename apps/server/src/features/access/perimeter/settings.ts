import type { SettingGroup } from "../../../platform/settings/setting.ts";
import { findIdentitySecret } from "./identity-store.ts";
import { perimeterSettings } from "./settings.pure.ts";

/** Identity can be required only where there is a secret: without one no user could be proved, and all would be refused. */
const NO_SECRET =
  'identity.required needs an identity secret first: make it (Settings in the dashboard, or "tidings identity secret")';

export const perimeterSettingGroup: SettingGroup = {
  settings: perimeterSettings,
  topic: "visitors",
  async check(tx, projectId, values) {
    if (values.get("identity.required") !== true) return null;
    return (await findIdentitySecret(tx, projectId)) === null ? { fault: NO_SECRET } : null;
  },
};
