import type { Channel } from "../../platform/api-types.ts";
import type { TextFields } from "./content.ts";
import { EmailFields } from "./email-fields.tsx";
import { PersonalTexts } from "./personal-picker.tsx";
import { PushFields } from "./push-fields.tsx";
import { WebFields } from "./web-fields.tsx";

type Props = TextFields & {
  scope: string;
  channel: Channel;
  /** The app that a push goes to. */
  appId: string;
  /** Whether it is a template of receipts, which requests fill. */
  isTemplate?: boolean;
};

/** The fields of a message, by its channel. */
export function MessageTexts({ scope, channel, appId, isTemplate = false, ...fields }: Props) {
  return (
    <PersonalTexts scope={scope}>
      {channel === "email" && <EmailFields {...fields} isTemplate={isTemplate} />}
      {channel === "push" && <PushFields scope={scope} appId={appId} {...fields} />}
      {channel === "web_inapp" && <WebFields scope={scope} {...fields} />}
    </PersonalTexts>
  );
}
