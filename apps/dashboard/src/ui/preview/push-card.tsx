import { Accordion, Card, Code, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import classes from "../look/long.module.css";
import { PreviewFrame } from "../preview-frame.tsx";
import type { Look } from "./look.tsx";
import { words } from "./words.ts";

/** Width and height of the picture, CSS pixels. */
const PICTURE = 56;

type PushPreview = Extract<Answer<"previewMessage">, { channel: "push" }>;
type Shown = { title: string; body: string; image?: string; actions?: { id: string; title: string }[] };

const pretty = (payload: string): string => JSON.stringify(JSON.parse(payload), null, 2);

/** A notification with what devices of each platform are given. A phone, or a browser, draws it in its own way. */
export function PushCard({
  preview: { content, payloads },
  look: { scheme },
  title: name,
}: {
  preview: PushPreview;
  look: Look;
  title: string;
}) {
  if (content === null) return null;
  // The server answers the shape that it delivers.
  const { title, body, image, actions = [] } = content as unknown as Shown;
  return (
    <Stack>
      <Card
        withBorder
        shadow="sm"
        radius="lg"
        p="md"
        maw="30rem"
        w="100%"
        component="section"
        aria-label={name}
      >
        <Group wrap="nowrap" align="flex-start">
          <Stack gap={2} flex={1} miw={0}>
            <Text fw={650} className={classes.long}>
              {title}
            </Text>
            <Text size="sm" className={classes.long}>
              {body}
            </Text>
          </Stack>
        </Group>
        {image !== undefined && (
          <PreviewFrame
            title={words.pictureOf(name)}
            drawn={{ kind: "picture", url: image }}
            width={PICTURE}
            scheme={scheme}
          />
        )}
        {actions.length > 0 && (
          <Text size="sm" mt="xs" fw={600}>
            {actions.map((action) => action.title).join(" · ")}
          </Text>
        )}
      </Card>
      <Accordion variant="contained">
        {payloads.map(({ platform, payload }) => (
          <Accordion.Item key={platform} value={platform}>
            <Accordion.Control>{words.payloads[platform]}</Accordion.Control>
            <Accordion.Panel>
              <Code block className={classes.long}>
                {payload === null ? words.tooLarge : pretty(payload)}
              </Code>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}
