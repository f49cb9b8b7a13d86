import type { Feature } from "../../../domain/feature.ts";
import { emailDomainCommands } from "./commands/email-domain.ts";
import { emailSettingGroup, transactionalSettingGroup } from "./settings.ts";
import { tables } from "./tables.pure.ts";

/** The sender of mail: its settings, and the domain from which it is sent, with its key. */
export const emailSender: Feature = {
  room: "email/sender",
  tables,
  settings: [emailSettingGroup, transactionalSettingGroup],
  commandGroups: { email: "the sender's domain, messages whose fate is unknown, addresses that get no mail" },
  commands: [emailDomainCommands],
};
