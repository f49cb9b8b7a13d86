import { Stack, Text } from "@mantine/core";
import type { CampaignDetail } from "../../../../platform/api-types.ts";
import { roleAt, useMe } from "../../../../platform/me.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { reaches } from "../../../../platform/pages.ts";
import { Loaded } from "../../../../ui/loaded.tsx";
import { Section } from "../../../../ui/section.tsx";
import { Copied } from "../../../../ui/texts/copied.tsx";
import { To } from "../../../../ui/to.tsx";
import { previewBodyOf } from "../preview-body.ts";
import { curlOfSend, resendEnvironment, resendLine } from "../send-example.pure.ts";
import type { TemplateData } from "../use-template-data.ts";
import { words } from "../words.ts";

type Props = { scope: string; template: CampaignDetail; data: TemplateData };

/** The requests that send a mail of a template, with all that its text names. */
export function HowToSend({ scope, template, data }: Props) {
  const isOwner = reaches(roleAt(useMe(), scope), "owner");
  const body = previewBodyOf(template, data);
  const preview = useOperation(scope, "previewMessage", { body }, { refetchInterval: false });
  const key = template.key ?? "";
  return (
    <Stack gap="lg">
      {template.status !== "running" && <Text fw={600}>{words.notLive}</Text>}
      <Text maw="44rem">
        {words.howAbout}{" "}
        {isOwner && (
          <To scope={scope} path="keys">
            {words.makeKey}
          </To>
        )}
      </Text>
      <Loaded query={preview}>
        {(found) => {
          const values = data.value ?? (found.channel === "email" ? found.sample : null) ?? {};
          return (
            <Stack gap="lg">
              <Section title={words.byRequest} about={words.byRequestAbout} isFramed>
                <Copied
                  text={curlOfSend(location.origin, key, values)}
                  label={words.exampleOf(template.name)}
                />
              </Section>
              <Section title={words.byResend} about={words.byResendAbout} isFramed>
                <Copied text={resendEnvironment(location.origin)} label={words.resendEnvironment} />
                <Copied text={resendLine(key, values)} label={words.resendLine} />
              </Section>
            </Stack>
          );
        }}
      </Loaded>
    </Stack>
  );
}
