import type { z } from "zod";
import { parseDomain } from "./sender.pure.ts";
import {
  aiPrices,
  choice,
  chosenFlag,
  flag,
  hosts,
  line,
  lines,
  modelKey,
  modelUrl,
  names,
  origins,
  priceTiers,
  sender,
  smtpUrl,
  spfName,
  typed,
  typedInstant,
  usd,
  whole,
} from "./typed.pure.ts";

/** The least and the most days that a project may keep events; none is recorded that is older than the most. */
export const EVENTS_DAYS = { least: 7, most: 3_650 } as const;

/** A setting: how a typed text becomes its value, its default, and its meaning. */
type Setting = {
  parse: z.ZodType<SettingValue, string>;
  fallback: SettingValue;
  /** Kept sealed, and never shown again. */
  secret?: true;
  /** One line for people. */
  meaning: string;
};

/** A value as it is kept and shown. */
export type SettingValue = string | number | boolean | null;

/** `true` stands for the domain of `email.from`: `resolveDomain` puts it in its place. */
export const SENDER_DOMAIN = "true";

const verifiedDomain = typed("must be true, false or a domain name such as acme.example", (text) =>
  [SENDER_DOMAIN, "false"].includes(text.trim()) ? text.trim() : parseDomain(text),
).transform((word) => (word === "false" ? null : word));

/** Every setting that people own: of a project, and under `org.` of its organization. A further one is a further entry. */
export const SETTINGS = {
  "email.from": {
    parse: sender,
    fallback: null,
    meaning: "who mail comes from: an address, or Name <address>",
  },
  "email.postalAddress": {
    parse: lines(500),
    fallback: null,
    meaning: "the postal address at the foot of every mail; \\n is a line break",
  },
  "email.domainVerified": {
    parse: verifiedDomain,
    fallback: null,
    meaning: "the sender domain that may be sent from: true takes that of email.from, false none",
  },
  "email.spfInclude": {
    parse: spfName,
    fallback: null,
    meaning: "the name your mail provider wants in the SPF record of the sender domain, as include:NAME",
  },
  "email.smtpUrl": {
    parse: smtpUrl,
    fallback: null,
    secret: true,
    meaning: "mail server of this project, smtp://user:password@host:port?connections=5; by default SMTP_URL",
  },
  "email.provider": {
    parse: choice("smtp", "ses", "postmark", "sendgrid", "mailgun"),
    fallback: "smtp",
    meaning: "who reports what became of mail; smtp: only the mail server itself",
  },
  "email.webhookSecret": {
    parse: line(2_000),
    fallback: null,
    secret: true,
    meaning:
      "what the provider's reports are verified with: SendGrid's public key, Mailgun's signing key, Postmark's password, the ARN of the SES topic",
  },
  "email.capMax": {
    parse: whole(0, 1_000),
    fallback: 3,
    meaning: "mails that one recipient gets at most within email.capHours; 0: no cap",
  },
  "email.capHours": {
    parse: whole(1, 720),
    fallback: 24,
    meaning: "hours that email.capMax counts back",
  },
  "email.overCap": {
    parse: choice("skip", "postpone"),
    fallback: "skip",
    meaning:
      "what becomes of a mail to a recipient who has had email.capMax: skip leaves it out for good, postpone sends it later, once the cap allows it",
  },
  "email.perMinute": {
    parse: whole(1, 1_000_000),
    fallback: null,
    meaning: "mails that leave per minute at most; by default no limit",
  },
  "email.domainPerMinute": {
    parse: whole(1, 1_000_000),
    fallback: null,
    meaning: "mails that leave per minute at most to one domain of recipients; by default no limit",
  },
  "email.trackOpens": {
    parse: flag,
    fallback: true,
    meaning: "whether mail carries a picture that tells when it is opened",
  },
  "email.trackClicks": {
    parse: flag,
    fallback: true,
    meaning: "whether links in mail lead through this server, which counts them",
  },
  "identity.required": {
    parse: flag,
    fallback: false,
    meaning:
      'whether pages and apps have to prove with a userHash who a user is; it needs an identity secret (Settings in the dashboard, or "tidings identity secret")',
  },
  "identity.newAddressesPerHour": {
    parse: whole(0, 1_000_000),
    fallback: 500,
    meaning:
      "of the email addresses that publishable keys gave in an hour, how many become addresses that mail goes to; more wait for the secret key",
  },
  "identity.serverTraits": {
    parse: names,
    fallback: null,
    meaning: "traits that only the secret key sets, with commas between, such as email, plan",
  },
  "identity.serverEvents": {
    parse: names,
    fallback: null,
    meaning: "events that count only from the secret key, with commas between, such as paid",
  },
  "origins.allowed": {
    parse: origins,
    fallback: null,
    meaning:
      "origins whose pages may use the publishable key, with commas between; by default those of any origin",
  },
  "users.nameTrait": {
    parse: line(200),
    fallback: null,
    meaning:
      "the trait that users are called by, such as nickname; by default name, else first_name and last_name, else email",
  },
  "retention.eventsDays": {
    parse: whole(EVENTS_DAYS.least, EVENTS_DAYS.most),
    fallback: null,
    meaning:
      "days that events are kept; what was counted of older ones stays, and audiences look back no further; by default for ever",
  },
  "launch.paused": {
    parse: flag,
    fallback: false,
    meaning: "true keeps every campaign from launching by itself; requests still launch",
  },
  "people.launch": {
    parse: choice("editor", "approver"),
    fallback: "editor",
    meaning:
      "the role from which people may do what reaches users at once: launch, resume, change what runs, loosen a goal; keys and agents are not asked",
  },
  "launch.approvedContent": {
    parse: chosenFlag,
    fallback: null,
    meaning:
      "whether a campaign launches by itself only as it was when a person allowed that; by default where people.launch is approver",
  },
  "drafts.pullRequests": {
    parse: choice("members", "everyone"),
    fallback: "members",
    meaning:
      "whose open pull requests are drafted before they are merged: of people of the repository, or of everyone; each costs a run of the day",
  },
  "drafts.pullRequestLabel": {
    parse: line(100),
    fallback: null,
    meaning: "a label at GitHub with which a pull request of others is drafted as well",
  },
  "safety.loopPaused": {
    parse: flag,
    fallback: false,
    meaning: "for the agent: true pauses its loop, so that it takes up no further evaluation",
  },
  "safety.approvalOverride": {
    parse: choice("require_human"),
    fallback: null,
    meaning: "for the agent: require_human has people approve for every goal, whatever the goal says",
  },
  "safety.maxRunsPerDay": {
    parse: whole(0, 10_000),
    fallback: 20,
    meaning: "for the agent: runs that it may begin per UTC day",
  },
  "safety.maxConcurrentCampaigns": {
    parse: whole(0, 1_000),
    fallback: 1,
    meaning: "for the agent: campaigns that it may evaluate at once",
  },
  "safety.approvalHours": {
    parse: whole(1, 8_760),
    fallback: 72,
    meaning:
      "hours within which people may decide what an agent proposes, and within which it is then applied",
  },
  "links.allowedHosts": {
    parse: hosts,
    fallback: null,
    meaning:
      "hosts that an agent may link to in campaigns that have not used them, with commas between, *.acme.example for all below one; by default none, so that it keeps to what people wrote or approved",
  },
  "agent.policy": {
    parse: choice("statistical@1", "model@1"),
    fallback: null,
    meaning:
      "what looks after campaigns that have a goal, where a process has the role agent: statistical@1 decides from counts alone, model@1 asks a model; by default nothing does",
  },
  "agent.everyHours": {
    parse: whole(1, 720),
    fallback: 24,
    meaning: "for the agent: hours from one look at a campaign to the next",
  },
  "agent.modelUrl": {
    parse: modelUrl,
    fallback: null,
    meaning:
      "for model@1: where a model is asked in the way of OpenAI, such as https://models.example.com/v1",
  },
  "agent.model": {
    parse: line(200),
    fallback: null,
    meaning: "for model@1: the name of the model",
  },
  "agent.modelKey": {
    parse: modelKey,
    fallback: null,
    secret: true,
    meaning: "for model@1: the key that the model's provider wants; by default none",
  },
  "agent.maxSteps": {
    parse: whole(1, 50),
    fallback: 8,
    meaning: "for model@1: how often the model is asked for one decision",
  },
  "agent.maxTokens": {
    parse: whole(1_000, 10_000_000),
    fallback: 60_000,
    meaning: "for model@1: tokens that one decision may use, read and written ones together",
  },
  "agent.maxSeconds": {
    parse: whole(1, 3_000),
    fallback: 300,
    meaning: "for model@1: seconds that one decision may take",
  },
  "ai.monthlyLimit": {
    parse: whole(0, 1_000_000),
    fallback: 2_500,
    meaning: "for the agent: AI credits per UTC month; 0: it begins nothing",
  },
  "ai.prices": {
    parse: aiPrices,
    fallback: "* 0.2 0.025 0.25 1.6 1.6",
    meaning:
      "for the agent: USD per million tokens of input, cached input, cache write, output and reasoning, by model (* is any other); gpt-x>200000 is for calls of more input tokens than that",
  },
  "org.spendCapUsd": {
    parse: usd(1_000_000_000),
    fallback: null,
    meaning: "USD of a period at which the organization is served no more; by default no cap",
  },
  "org.priceTiers": {
    parse: priceTiers,
    fallback: null,
    meaning: "USD per active user, such as 0.02 to 10000, 0.012; by default that with MODE=managed, else 0",
  },
  "org.billingStatus": {
    parse: choice("none", "ok", "past_due", "restore_needed"),
    fallback: "none",
    meaning:
      "none: no payment method; past_due: email waits; restore_needed: nothing is served before it is ok again",
  },
  "org.periodStart": {
    parse: typedInstant,
    fallback: null,
    meaning: "when a period of the subscription began; counts unless org.billingStatus is none",
  },
  "org.periodEnd": {
    parse: typedInstant,
    fallback: null,
    meaning: "when it ends; further periods follow by themselves, equally long",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;

type ValueOf<Kind extends Setting> = z.output<Kind["parse"]> | Widened<Kind["fallback"]>;
type Widened<Value> = Value extends string
  ? never
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value;

/** A project's settings and those of its organization, all of them, defaults filled in and secrets in clear: never log or answer them. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** The settings that an organization has, for all its projects. */
export type OrganizationKey = Extract<SettingKey, `org.${string}`>;
export type OrganizationSettings = Pick<Settings, OrganizationKey>;

export const isOrganizationKey = (key: SettingKey): key is OrganizationKey => key.startsWith("org.");

/** The setting of a key, with the type that all settings share. */
export const settingOf = (key: SettingKey): Setting => SETTINGS[key];

/** A value as a person would type it. */
export const typedText = (value: SettingValue): string =>
  value === null ? "" : String(value).replaceAll("\n", "\\n");
