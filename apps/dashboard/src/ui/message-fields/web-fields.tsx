import {
  Button,
  FileButton,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useChange } from "../../platform/operations.ts";
import { optionsOf } from "../options.ts";
import { Problem } from "../problem.tsx";
import { type Cta, ctaWith, fieldWriters, linkOf, type TextFields } from "./content.ts";
import { words } from "./words.ts";

type Media = { url?: string; alt?: string; decorative?: boolean };

/** Media with an alternative text; without one it decorates. */
function mediaWith({ url = "" }: Media, alt: string): Media {
  return alt === "" ? { url, decorative: true } : { url, alt };
}

function ImageFields({ scope, content, change, faultOf, about }: TextFields & { scope: string }) {
  const { media = {} } = content as { media?: Media };
  const { url = "", alt = "" } = media;
  const uploading = useChange(scope, "uploadCampaignMedia", []);
  const put = (next: Media): void => change({ ...content, media: next });
  const upload = (file: File | null): void => {
    if (file !== null)
      uploading.mutate({ file }, { onSuccess: (made) => put(mediaWith({ url: made.media.url }, alt)) });
  };
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <TextInput
          label={words.image}
          description={words.imageAbout}
          flex={1}
          name="media.url"
          value={url}
          error={faultOf("media.url") ?? faultOf("media")}
          onChange={({ currentTarget }) => put(mediaWith({ url: currentTarget.value }, alt))}
        />
        <FileButton accept="image/png,image/jpeg,image/webp,image/gif" onChange={upload}>
          {(button) => (
            <Button variant="default" loading={uploading.isPending} {...button}>
              {words.upload}
            </Button>
          )}
        </FileButton>
      </Group>
      {uploading.error !== null && <Problem error={uploading.error} />}
      {url !== "" && (
        <TextInput
          label={words.alt}
          description={about("media.alt", words.altAbout)}
          name="media.alt"
          maxLength={300}
          value={alt}
          error={faultOf("media.alt")}
          onChange={({ currentTarget }) => put(mediaWith(media, currentTarget.value))}
        />
      )}
    </Stack>
  );
}

/** The texts of a message in a page. */
export function WebFields({ scope, ...fields }: TextFields & { scope: string }) {
  const { content, change, faultOf, about } = fields;
  const {
    presentation,
    title,
    body,
    cta = {},
  } = content as {
    presentation: string;
    title?: string;
    body?: string;
    cta?: Cta;
  };
  const write = fieldWriters(content, change);
  return (
    <Stack>
      <NativeSelect
        label={words.presentation}
        data={optionsOf(words.presentations)}
        value={presentation}
        onChange={write("presentation")}
      />
      <TextInput
        name="title"
        label={words.title}
        maxLength={120}
        value={title ?? ""}
        error={faultOf("title") ?? faultOf("")}
        description={about("title")}
        onChange={write("title")}
      />
      <Textarea
        name="body"
        label={words.body}
        description={about("body", words.personalAbout)}
        maxLength={600}
        autosize
        minRows={3}
        value={body ?? ""}
        error={faultOf("body")}
        onChange={write("body")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          name="cta.label"
          label={words.label}
          maxLength={80}
          value={cta.label ?? ""}
          error={faultOf("cta.label") ?? faultOf("cta")}
          description={about("cta.label")}
          onChange={fieldWriters(cta, (written) => change({ ...content, cta: written }))("label")}
        />
        <TextInput
          name="cta.url"
          label={words.link}
          description={about(["cta.url", "cta.destination.url"], words.linkAbout)}
          maxLength={2_048}
          value={linkOf(cta)}
          error={faultOf("cta.url") ?? faultOf("cta.destination.url") ?? faultOf("cta.destination")}
          onChange={({ currentTarget }) => change({ ...content, cta: ctaWith(cta, currentTarget.value) })}
        />
      </SimpleGrid>
      <ImageFields scope={scope} {...fields} />
    </Stack>
  );
}
