import { Box, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useAddress } from "../../../platform/address.ts";
import { faultAt } from "../../../platform/faults.ts";
import { useFocusedField } from "../../../platform/focused-field.ts";
import { useVisited } from "../../../ui/form/use-visited.ts";
import { type DraftContent, isWrittenIn } from "../../../ui/message-fields/content.ts";
import { MessageTexts } from "../../../ui/message-fields/texts.tsx";
import { Section } from "../../../ui/section.tsx";
import { DataField } from "../templates/parts/data-field.tsx";
import { NO_DATA, type TemplateData } from "../templates/use-template-data.ts";
import { type CampaignDraft, type Delivered, withVariant } from "./draft.ts";
import classes from "./editor.module.css";
import { aboutFieldsOf } from "./field-remarks.tsx";
import { PreviewPane } from "./preview.tsx";
import { usePreview } from "./use-preview.ts";
import { Variants } from "./variants-fields.tsx";
import { WhomAndWhen } from "./whom-and-when.tsx";
import { words } from "./words.ts";

type Props = {
  scope: string;
  draft: CampaignDraft;
  change: (draft: CampaignDraft) => void;
  /** Why the server has not taken what is written; null where it has, or was not asked. */
  fault: string | null;
  /** Whether a person wanted it saved, and the server has not taken it: then each field says what is wrong with it. */
  wasTried: boolean;
  /** Variants that users have got, which stay. */
  delivered?: Delivered;
  /** Whether it is being saved: what is new is known to the server in a moment. */
  isSaving?: boolean;
  /** Whether it is the message of a step of a journey. */
  isStep?: boolean;
  /** What the preview of a template is filled with. */
  data?: TemplateData;
  /** What is below the name: the key of a new template. */
  identity?: (faultOf: (field: string) => string | undefined) => ReactNode;
  /** What is above the fields: the channel of a new campaign, for example. */
  children?: ReactNode;
};

/** A link that opens a place is stored in another field than one that is an address, and has one field in the form. */
const nameInForm = (field: string): string => (field.startsWith("cta.destination") ? "cta.url" : field);

const NONE_DELIVERED: Delivered = new Set();

/** All that a person writes of a campaign, beside the message as a user gets it. */
export function Editor({
  scope,
  draft,
  change,
  fault,
  wasTried,
  delivered = NONE_DELIVERED,
  isSaving = false,
  isStep = false,
  data = NO_DATA,
  identity,
  children,
}: Props) {
  const [{ variant = "1", as = "" }, go] = useAddress();
  const shown = Math.min(Math.max(0, Number(variant) - 1 || 0), draft.variants.length - 1);
  const content: DraftContent = draft.variants[shown]?.content ?? {};
  useFocusedField(nameInForm);
  const place = `${draft.channel} ${shown}`;
  const preview = usePreview(scope, draft, { content, userId: as, values: data.value }, place);
  const { visited, current, come, leave } = useVisited(place, (field) => field.getAttribute("name"));
  const isDue = (field: string): boolean =>
    // What was written before, and is not being written now, was read over.
    wasTried || visited.includes(field) || (field !== current && isWrittenIn(content, field));
  const faultOf = (field: string) =>
    wasTried || visited.includes(field) ? faultAt(fault, field) : undefined;
  const faultOfText = (field: string): string | undefined => {
    if (field === "" ? !wasTried && visited.length === 0 : !isDue(field)) return undefined;
    return faultAt(preview.fault, field === "" ? "message" : `message.${field}`);
  };
  return (
    <Box className={classes.columns} onFocus={come} onBlur={leave}>
      <Stack gap="lg" className={classes.message}>
        {children}
        <TextInput
          name="name"
          label={words.name}
          description={words.nameAbout}
          maxLength={80}
          value={draft.name}
          error={faultOf("name")}
          onChange={({ currentTarget }) => change({ ...draft, name: currentTarget.value })}
        />
        {identity?.(faultOf)}
        <Section title={words.message} isFramed>
          <Variants
            draft={draft}
            shown={shown}
            change={change}
            delivered={delivered}
            isSaving={isSaving}
            show={(index) => go({ variant: index === 0 ? "" : String(index + 1) }, false)}
          >
            <MessageTexts
              scope={scope}
              channel={draft.channel}
              appId={draft.push?.appId ?? ""}
              isTemplate={draft.template !== null}
              content={content}
              faultOf={faultOfText}
              about={aboutFieldsOf(preview.preview)}
              change={(written) => change(withVariant(draft, shown, { content: written }))}
            />
          </Variants>
        </Section>
      </Stack>
      <aside className={classes.preview} aria-label={words.preview}>
        <PreviewPane
          scope={scope}
          {...preview}
          userId={as}
          isBegun={wasTried || visited.length > 0}
          choose={(userId) => go({ as: userId }, false)}
        >
          {draft.template !== null && (
            <DataField
              data={data}
              sample={preview.preview?.channel === "email" ? preview.preview.sample : null}
            />
          )}
        </PreviewPane>
      </aside>
      {draft.template === null && (
        <WhomAndWhen
          scope={scope}
          draft={draft}
          change={change}
          faultOf={faultOf}
          wasTried={wasTried}
          isStep={isStep}
        />
      )}
    </Box>
  );
}
