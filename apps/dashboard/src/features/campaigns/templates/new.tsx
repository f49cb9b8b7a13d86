import { Alert, Anchor, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAddress } from "../../../platform/address.ts";
import { focusedField } from "../../../platform/focused-field.ts";
import { FormActions } from "../../../ui/form/form-actions.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { Page } from "../../../ui/page.tsx";
import { type CampaignDraft, campaignBody, newTemplateDraft } from "../editor/draft.ts";
import { Editor } from "../editor/editor.tsx";
import { words as editorWords } from "../editor/words.ts";
import { IdentityFields } from "./parts/identity-fields.tsx";
import { suggestedKey } from "./template-key.pure.ts";
import { useTemplateData } from "./use-template-data.ts";
import { words } from "./words.ts";

const STALE = ["listCampaigns", "getOverview", "listAuditEntries"] as const;

/** A draft whose key follows the name, until a person has written another one. */
function withKeyOfName(before: CampaignDraft, draft: CampaignDraft): CampaignDraft {
  const { template } = draft;
  if (template === null || before.name === draft.name || template.key !== suggestedKey(before.name))
    return draft;
  return { ...draft, template: { ...template, key: suggestedKey(draft.name) } };
}

/** A template that is not saved yet. What is written stays in this tab until it is. */
export function NewTemplatePage({ scope }: { scope: string }) {
  const [address] = useAddress();
  const form = useForm({
    scope,
    operation: "createCampaign",
    stale: STALE,
    key: `new template ${scope}`,
    initial: newTemplateDraft,
  });
  const data = useTemplateData(`new ${scope}`);
  const { draft, change, fault, refusal } = form;
  const save = async (): Promise<void> => {
    const { campaign } = await form.send({ body: campaignBody(draft) });
    // The next page has the same fields: who saves by the keyboard goes on where they are.
    await form.done({
      to: `/p/${scope}/templates/${campaign.id}/edit`,
      message: editorWords.made,
      replace: true,
      address: { ...address, ...focusedField() },
    });
  };
  const { template } = draft;
  return (
    <Page
      about={words.newAbout}
      actions={
        <FormActions form={form} label={editorWords.make} save={save} discard={editorWords.startOver} />
      }
    >
      <Group>
        <Anchor component={Link} to={`/p/${scope}/templates`} size="sm">
          {words.back}
        </Anchor>
      </Group>
      {refusal !== null && <Alert color="red" title={refusal} role="alert" />}
      <Editor
        scope={scope}
        draft={draft}
        change={(next) => change(withKeyOfName(draft, next))}
        fault={fault}
        wasTried={fault !== null}
        data={data}
        identity={(faultOf) =>
          template !== null && (
            <IdentityFields
              template={template}
              faultOf={faultOf}
              change={(identity) => change({ ...draft, template: identity })}
            />
          )
        }
      />
    </Page>
  );
}
