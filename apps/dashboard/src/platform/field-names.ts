/** What forms call the fields of the API: those of a campaign, of its messages, and others that refusals name. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  ...{ name: "Name", audience: "Audience", pages: "Pages", goalId: "Goal", once: "Who gets it" },
  ...{ deliverFrom: "Deliver from", deliverUntil: "Deliver until", variants: "Variants" },
  ...{ weight: "Weight", isControl: "Control", message: "Message" },
  ...{ title: "Title", body: "Text", subject: "Subject", previewText: "Preview text" },
  ...{ presentation: "Shown as", cta: "Button", "cta.label": "Text of the button" },
  ...{ "cta.url": "Link of the button", "cta.destination": "Link of the button" },
  ...{ "cta.destination.url": "Link of the button" },
  ...{ media: "Image", "media.url": "Image", "media.alt": "What the image shows", image: "Image" },
  ...{ destination: "Opens", "destination.url": "Opens", "ios.subtitle": "Subtitle on iOS" },
  ...{ push: "App and devices", "push.appId": "App", "push.selection": "Devices" },
  ...{ "push.selection.installationId": "Device", installationId: "Device" },
  ...{ "push.ttlSeconds": "Worth delivering for", "push.replacementKey": "Takes the place of" },
  ...{ targetEvent: "Counted event", attributionDays: "Days until it counts no more" },
  ...{ holdoutPercent: "Held out", guardrails: "Limits" },
  ...{ "credential.teamId": "Team ID", "credential.keyId": "Key ID", "credential.privateKey": "Key" },
  ...{
    "credential.topic": "Topic",
    "credential.projectId": "Service account",
    "credential.clientEmail": "Service account",
  },
  ...{ url: "Address", "email.from": "From", "email.postalAddress": "Postal address" },
};
