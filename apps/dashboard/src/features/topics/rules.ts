import type { Answer } from "@tidings/client";

/** What readers may leave by itself, as the API shows it. */
export type Topic = Answer<"listTopics">["topics"][number];
export type Consent = Answer<"listConsents">["consents"][number];

/** What a person writes of a topic. */
export type TopicDraft = Pick<
  Topic,
  "key" | "name" | "description" | "isDefault" | "doubleOptIn" | "max" | "days"
>;

export const NEW_TOPIC: TopicDraft = {
  key: "",
  name: "",
  description: "",
  isDefault: "out",
  doubleOptIn: true,
  max: null,
  days: null,
};

const MAX_KEY = 64;

/** A key that a name suggests: `News & Offers` is `news-offers`. */
export const keyFor = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_KEY)
    .replace(/-$/, "");

/** What was typed, where it may be a whole address; null while it is not one yet. */
export const wholeAddress = (typed: string): string | null =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim()) ? typed.trim() : null;
