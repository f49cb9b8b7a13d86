import { Checkbox, Code, Stack, Text, TextInput } from "@mantine/core";
import type { CampaignDraft } from "../../editor/draft.ts";
import { MAX_KEY } from "../template-key.pure.ts";
import { words } from "../words.ts";

type Template = NonNullable<CampaignDraft["template"]>;

type Props = {
  template: Template;
  faultOf: (field: string) => string | undefined;
  change: (template: Template) => void;
};

/** What requests call a template that is there already, and whether what it is filled with is secret. */
export const TemplateIdentity = ({ template: { key, isSensitive } }: { template: Template }) => (
  <Stack gap={4} align="flex-start">
    <Code>{words.keyOf(key)}</Code>
    {isSensitive && <Text size="sm">{words.isSensitive}</Text>}
  </Stack>
);

/** What requests call a new template, and whether what it is filled with is secret. Neither can be changed later. */
export const IdentityFields = ({ template, faultOf, change }: Props) => (
  <Stack>
    <TextInput
      name="key"
      label={words.key}
      description={words.keyAbout}
      maxLength={MAX_KEY}
      spellCheck={false}
      value={template.key}
      error={faultOf("key")}
      onChange={({ currentTarget }) => change({ ...template, key: currentTarget.value })}
    />
    <Checkbox
      label={words.sensitive}
      description={words.sensitiveAbout}
      checked={template.isSensitive}
      onChange={({ currentTarget }) => change({ ...template, isSensitive: currentTarget.checked })}
    />
  </Stack>
);
