import { Stack, Text } from "@mantine/core";
import { useId } from "react";
import { publishableKeyAt, useMe } from "../../../platform/me.ts";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import type { Credential } from "../rules.ts";
import { pageLines, workerFile } from "../site-files.pure.ts";
import { words } from "../words.ts";

function ToCopy({ label, about, text }: { label: string; about?: string; text: string }) {
  const id = useId();
  return (
    <Stack gap={4} role="group" aria-labelledby={id}>
      <Text size="sm" fw={600} id={id}>
        {label}
      </Text>
      {about !== undefined && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
      <Copied text={text} label={label} />
    </Stack>
  );
}

type Props = { scope: string; credential: Credential; applicationServerKey: string };

/** What a site needs so that its browsers get pushes: two things to copy, and the public key. */
export function BrowsersOf({ scope, credential: { appId, environment }, applicationServerKey }: Props) {
  const key = publishableKeyAt(useMe(), scope) ?? "pk_…";
  const { origin } = location;
  return (
    <Section title={words.browsersOf(appId, words.environments[environment])} about={words.browsersAbout}>
      <ToCopy label={words.workerFile} text={workerFile({ origin })} />
      <ToCopy label={words.pageLines} text={pageLines({ origin, key, appId, environment })} />
      <ToCopy label={words.publicKey} about={words.publicKeyAbout} text={applicationServerKey} />
    </Section>
  );
}
