import { Text } from "@mantine/core";
import type { Channel } from "../../../platform/api-types.ts";
import { warningText } from "../../../ui/findings/rules.pure.ts";
import type { AboutField } from "../../../ui/message-fields/content.ts";
import type { Preview } from "../../../ui/preview/message.tsx";

/** The fields of a message that the form of its channel has. */
const FIELDS: Readonly<Record<Channel, readonly string[]>> = {
  web_inapp: ["title", "body", "cta.label", "cta.url", "cta.destination.url", "media.alt"],
  email: ["subject", "previewText", "body", "cta.label", "cta.url"],
  push: ["title", "body", "destination.url", "image"],
};

const pathOf = (field: string): string => `/message/${field.replaceAll(".", "/")}`;

/** Whether a remark is about one of these fields. How long a mail is, is about the whole of it, and stands above it. */
const isAt =
  (fields: readonly string[]) =>
  ({ code, path }: Preview["remarks"][number]): boolean =>
    code !== "gmail_clips" && fields.some((field) => pathOf(field) === path);

/** What is said below the fields of a message, of which this is the preview. */
export const aboutFieldsOf =
  (preview: Preview | null): AboutField =>
  (fields, about) => {
    const found = (preview?.remarks ?? []).filter(isAt([fields].flat()));
    if (found.length === 0) return about;
    return (
      <>
        {about}
        {found.map((each) => (
          <Text key={each.path + each.message} span display="block" size="xs" c="var(--mantine-color-text)">
            {warningText(each)}
          </Text>
        ))}
      </>
    );
  };

/** A preview with those remarks alone that no field of the form shows. */
export const withoutFieldRemarks = (preview: Preview): Preview => {
  const isShown = isAt(FIELDS[preview.channel]);
  return { ...preview, remarks: preview.remarks.filter((remark) => !isShown(remark)) };
};
