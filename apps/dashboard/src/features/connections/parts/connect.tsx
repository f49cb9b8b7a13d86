import { List, Stack, Text } from "@mantine/core";
import { publishableKeyAt, roleAt, useMe } from "../../../platform/me.ts";
import { reaches } from "../../../platform/pages.ts";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { To } from "../../../ui/to.tsx";
import { LIBRARIES, snippetFor } from "../snippets.pure.ts";
import { words } from "../words.ts";

type OfScope = { scope: string };

/** Which key goes where, and where there is one. */
function WhichKey({ scope }: OfScope) {
  const isOwner = reaches(roleAt(useMe(), scope), "owner");
  return (
    <Text maw="44rem">
      {words.connectAbout} {words.secretKey}{" "}
      {isOwner ? (
        <To scope={scope} path="keys">
          {words.makeKey}
        </To>
      ) : (
        words.secretKeyElse
      )}
    </Text>
  );
}

/** How each library is led here, with the lines to paste, and what becomes of what it sends. */
export function Connect({ scope }: OfScope) {
  const key = publishableKeyAt(useMe(), scope);
  return (
    <Stack gap="lg">
      <WhichKey scope={scope} />
      {LIBRARIES.map((library) => {
        const { title, about } = words.libraries[library];
        return (
          <Section key={library} title={title} about={about} isFramed>
            {library === "browser" && key === null && <Text size="sm">{words.noPublishableKey}</Text>}
            <Copied text={snippetFor(library, location.origin, key)} label={words.linesFor(title)} />
          </Section>
        );
      })}
      <Section title={words.becomes}>
        <List maw="44rem" spacing="xs">
          {words.becomesAbout.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      </Section>
    </Stack>
  );
}
