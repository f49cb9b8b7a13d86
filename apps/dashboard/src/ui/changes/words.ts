import { onceWords } from "../once-words.ts";

const FIELDS: Readonly<Record<string, string>> = {
  ...{ name: "Name", audience: "Audience", pages: "Pages", goalId: "Goal", push: "App and devices" },
  once: onceWords.field,
  ...{ deliverFrom: "Deliver from", deliverUntil: "Deliver until", weight: "Weight", isControl: "Control" },
  ...{
    title: "Title",
    body: "Text",
    subject: "Subject",
    previewText: "Preview text",
    presentation: "Shown as",
  },
  ...{
    "goal.targetEvent": "Event of the goal",
    "goal.attributionDays": "Days of the goal",
    status: "Status",
  },
  ...{ cta: "Button", "cta.label": "Text of the button", "cta.url": "Link of the button" },
  ...{ "cta.destination": "Link of the button", "cta.destination.url": "Link of the button", media: "Image" },
  ...{ "media.url": "Image", "media.alt": "What the image shows", image: "Image", "": "Message" },
};

export const words = {
  nothing: "nothing",
  becomes: "→",
  newVariant: "New variant",
  variant: (name: string) => `Variant ${name}`,
  /** The name of a field of a campaign or message by its path. */
  fieldOf: (path: string): string => FIELDS[path] ?? path,
} as const;
