import { Stack, Text } from "@mantine/core";
import { AudienceFields } from "../../../ui/audience/fields.tsx";
import { PushSettingsFields } from "../../../ui/message-fields/push-fields.tsx";
import { Section } from "../../../ui/section.tsx";
import { DeliveryFields, TopicField } from "./delivery-fields.tsx";
import type { CampaignDraft } from "./draft.ts";
import classes from "./editor.module.css";
import { OnceField } from "./once-field.tsx";
import { TimingFields } from "./timing-fields.tsx";
import { VisitorsField } from "./visitors-field.tsx";
import { words } from "./words.ts";

type Props = {
  scope: string;
  draft: CampaignDraft;
  change: (draft: CampaignDraft) => void;
  wasTried: boolean;
  /** Whether it is the message of a step: its journey says whom it is for, from when to when, and for which goal. */
  isStep: boolean;
  faultOf: (field: string) => string | undefined;
};

/** Whom a campaign is for, and where and when it appears: what a template has none of. */
export function WhomAndWhen({ scope, draft, change, faultOf, wasTried, isStep }: Props) {
  return (
    <Stack gap="lg" className={classes.rest}>
      {draft.push !== null && (
        <Section title={words.fields.push} isFramed>
          <PushSettingsFields
            scope={scope}
            push={draft.push}
            faultOf={faultOf}
            change={(push) => change({ ...draft, push })}
          />
        </Section>
      )}
      {!isStep && (
        <Section title={words.audience} isFramed>
          <AudienceFields
            scope={scope}
            audience={draft.audience}
            visitors={draft.visitors}
            fault={faultOf("audience")}
            wasTried={wasTried}
            change={(audience) => change({ ...draft, audience })}
          />
          {draft.channel === "web_inapp" && (
            <VisitorsField
              visitors={draft.visitors}
              fault={faultOf("visitors")}
              change={(visitors) => change({ ...draft, visitors })}
            />
          )}
          {draft.channel !== "web_inapp" && (
            <OnceField
              once={draft.once}
              fault={faultOf("once")}
              change={(once) => change({ ...draft, once })}
            />
          )}
        </Section>
      )}
      <Section title={words.delivery} isFramed>
        {isStep ? (
          <>
            <Text size="sm">{words.stepAbout}</Text>
            <TopicField scope={scope} draft={draft} faultOf={faultOf} change={change} />
          </>
        ) : (
          <DeliveryFields scope={scope} draft={draft} faultOf={faultOf} change={change} />
        )}
      </Section>
      {draft.channel !== "web_inapp" && (
        <Section title={words.whenItLeaves} isFramed>
          <TimingFields draft={draft} faultOf={faultOf} change={change} />
        </Section>
      )}
    </Stack>
  );
}
