import type { Feature } from "../../../platform/feature.ts";
import { emailDomainCommands } from "./commands/email-domain.ts";
import { emailSettingGroup } from "./settings.ts";

/** The sender of mail: its settings, and the domain from which it is sent, with its key. */
export const emailSender: Feature = {
  settings: [emailSettingGroup],
  commands: [emailDomainCommands],
};
