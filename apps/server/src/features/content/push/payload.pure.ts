import type { Platform } from "../../../domain/fields.ts";
import {
  type Field,
  fillField,
  isMissing,
  isStatic,
  type Template,
  type TemplateUser,
} from "../template/template.pure.ts";
import { type PushContent, parsePushText } from "./message.pure.ts";

/**
 * The most that is sent, UTF-8 bytes. Phones: what both providers take (Apple: "Generating a remote notification"; Firebase:
 * `INVALID_ARGUMENT`). Browsers: what encrypts to 4,096 bytes, the most that every push service has to take (RFC 8030, 7.2): its head
 * has 86 bytes, its padding 1, its tag 16 (RFC 8188, 2).
 */
export const MAX_PAYLOAD_BYTES: Readonly<Record<Platform, number>> = {
  ios: 4_096,
  android: 4_096,
  web: 3_993,
};

/** The key of our part of a push, which the app's own code reads. */
const OURS = "tidings";
/** The key of the notification's tag for FCM and for browsers: a second notification with the same tag replaces the first. */
const TAG = "tidings_tag";

type Texts = { title: Template; body: Template; subtitle: Template | null; actions: readonly Template[] };

/** A content, ready to be filled in for any number of users. */
export type CompiledPush = { content: PushContent; texts: Texts; isStatic: boolean };

/** The template of a text whose fault was ruled out when the content was saved. Throws where it was not. */
function sound(template: Template | { fault: string }): Template {
  if ("fault" in template) throw new Error(`A content that was never checked: ${template.fault}`);
  return template;
}

const templatesOf = ({ title, body, subtitle, actions }: Texts): Template[] =>
  [title, body, subtitle, ...actions].filter((template) => template !== null);

/** Parses the personal texts of a content, once for all users. The content must have passed `PushContent`. */
export function compilePush(content: PushContent): CompiledPush {
  const { title, body, actions = [], ios } = content;
  const texts = {
    title: sound(parsePushText(title, "stored")),
    body: sound(parsePushText(body, "stored")),
    subtitle: ios?.subtitle === undefined ? null : sound(parsePushText(ios.subtitle, "stored")),
    actions: actions.map((action) => sound(parsePushText(action.title, "stored"))),
  };
  return { content, texts, isStatic: templatesOf(texts).every(isStatic) };
}

/**
 * A content for one user: filled in; or `missing`, the trait that the user lacks or whose value leaves a title, body or button blank;
 * or the `fault` of a text that the user's traits make too long.
 */
export type FilledPush = { content: PushContent } | { missing: string } | { fault: string };

class Unfit extends Error {
  readonly why: { missing: string } | { fault: string };

  constructor(why: { missing: string } | { fault: string }) {
    super("unfit");
    this.why = why;
  }
}

const isField = (part: string | Field): part is Field => typeof part !== "string";

function fillText({ parts }: Template, person: TemplateUser): string {
  const missing = parts.filter(isField).find((field) => isMissing(field, person));
  if (missing !== undefined) throw new Unfit({ missing: missing.trait });
  return parts.map((part) => (isField(part) ? fillField(part, person) : part)).join("");
}

function within(text: string, name: string, max: number): string {
  if (text.length > max && [...text].length > max)
    throw new Unfit({ fault: `${name} is longer than ${max} characters with the traits of this user` });
  return text;
}

/** Fills in a text that must not be blank. */
function fillWords(template: Template, person: TemplateUser, name: string, max: number): string {
  const text = fillText(template, person);
  const trait = template.parts.find(isField)?.trait;
  if (trait !== undefined && text.trim() === "") throw new Unfit({ missing: trait });
  return within(text, name, max);
}

/** A subtitle that comes out blank is left out. */
function fillIos(
  ios: PushContent["ios"],
  subtitle: Template | null,
  person: TemplateUser,
): PushContent["ios"] {
  if (ios === undefined || subtitle === null) return ios;
  const { subtitle: _, ...rest } = ios;
  const text = within(fillText(subtitle, person), "ios.subtitle", 256);
  return text.trim() === "" ? rest : { subtitle: text, ...rest };
}

function fill({ content, texts }: CompiledPush, person: TemplateUser): PushContent {
  const { actions, ios, ...rest } = content;
  const filledIos = fillIos(ios, texts.subtitle, person);
  return {
    ...rest,
    title: fillWords(texts.title, person, "title", 256),
    body: fillWords(texts.body, person, "body", 2_048),
    ...(actions && {
      actions: actions.map(({ id }, index) => ({
        id,
        title: fillWords(texts.actions[index] ?? { parts: [] }, person, `actions[${index}].title`, 64),
      })),
    }),
    ...(filledIos && { ios: filledIos }),
  };
}

/** Fills in what is personal. Never throws. */
export function fillPush(compiled: CompiledPush, person: TemplateUser): FilledPush {
  if (compiled.isStatic) return { content: compiled.content };
  try {
    return { content: fill(compiled, person) };
  } catch (error) {
    if (error instanceof Unfit) return error.why;
    throw error;
  }
}

/** Our part of a push, as the app reads it. `content` is filled in. */
export type PushEnvelope = {
  version: 1;
  targetId: string;
  attemptId: string;
  installationId: string;
  bindingGeneration: number;
  content: PushContent;
  test: boolean;
};

const bytes = (text: string): number => Buffer.byteLength(text);

function apnsPayload(envelope: PushEnvelope): { payload: string; size: number } {
  const { title, body, ios = {} } = envelope.content;
  const { subtitle, sound: played, badge, categoryId } = ios;
  const payload = JSON.stringify({
    aps: {
      alert: { title, subtitle, body },
      sound: played,
      badge,
      category: categoryId,
      // Wakes the app's service extension, which fetches the image, sets up the buttons and reports that the push arrived.
      "mutable-content": 1,
    },
    [OURS]: envelope,
  });
  return { payload, size: bytes(payload) };
}

/**
 * A data message, the only kind that reaches the app's code in the background. The app draws the notification itself (channel, sound,
 * image, buttons are in the content) and reports that it arrived. FCM's limit counts keys and values.
 */
function fcmData(envelope: PushEnvelope, tag: string): { payload: string; size: number } {
  const inside = JSON.stringify(envelope);
  return {
    payload: JSON.stringify({ [OURS]: inside, [TAG]: tag }),
    size: bytes(OURS) + bytes(inside) + bytes(TAG) + bytes(tag),
  };
}

/** What a browser decrypts: the service worker draws the notification and reports that it arrived. */
function browserPayload(envelope: PushEnvelope, tag: string): { payload: string; size: number } {
  const payload = JSON.stringify({ [OURS]: envelope, [TAG]: tag });
  return { payload, size: bytes(payload) };
}

const WRITERS: Readonly<
  Record<Platform, (envelope: PushEnvelope, tag: string) => { payload: string; size: number }>
> = {
  ios: apnsPayload,
  android: fcmData,
  web: browserPayload,
};

/**
 * The JSON that a provider gets for an app on one device: the whole body for APNs, the `data` of a message for FCM, what is encrypted
 * for a browser. A push replaces an earlier one with the same `tag`. `fault`: it is larger than a provider takes; nothing is ever cut.
 */
export function pushPayload(
  platform: Platform,
  envelope: PushEnvelope,
  tag: string,
): { payload: string } | { fault: string } {
  const { payload, size } = WRITERS[platform](envelope, tag);
  const most = MAX_PAYLOAD_BYTES[platform];
  return size <= most
    ? { payload }
    : { fault: `The push has ${size} bytes for ${platform}, and ${most} at most may be sent.` };
}
