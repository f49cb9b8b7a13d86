import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import type { Settings } from "../../../platform/settings/setting.ts";
import type { Pass } from "../../campaigns/authoring/public.ts";
import type { CampaignStatus, DeliveryWindow, VisitorsMet } from "../../campaigns/authoring/rules.ts";
import type { Serving } from "../../counting/usage/rules.ts";
import { readSettings } from "../../settings/public.ts";
import type { Subject } from "../subject-store.ts";
import type { AudienceFinding } from "./audience.ts";
import type { AnyGate } from "./gate.ts";
import { type AnswerOf, explainGates, type Findings, type SettingsOf, settingsOf } from "./list.ts";

/** The campaign that is asked about, as it is stored. */
type GatedCampaign = DeliveryWindow & {
  id: string;
  status: CampaignStatus;
  audience: unknown;
  visitors: VisitorsMet;
  variants: readonly { id: string; name: string }[];
  /** How people call its goal, and the segment that it is for; null where it has none. */
  goalName: string | null;
  /** What readers call its topic; null where it has none. */
  topicName: string | null;
  segmentName: string | null;
  /** How far it has come with its audience. */
  pass: Pass;
  /** The journey of whose step it is the message; null for other campaigns. */
  journeyId: string | null;
};

/** Whether a user gets a campaign now: all that a channel needs to answer. `now` is epoch milliseconds. */
export type GateQuestion = Omit<Subject, "delivery"> & {
  app: App;
  /** Reads at one instant. */
  db: Db;
  projectId: string;
  now: number;
  campaign: GatedCampaign;
  /** The user's delivery of the campaign; null for none. `isOpen`: whether more comes of it. */
  delivery: (NonNullable<Subject["delivery"]> & { isOpen: boolean }) | null;
  /** The user's id in the customer's product. */
  externalId: string;
  /** Whether they are a visitor who is not signed in, and whether the campaign is for such a one. */
  isVisitor: boolean;
  isMet: boolean;
  /** Whether the campaign, which is sent once, has passed the user. */
  isBehind: boolean;
  audience: AudienceFinding;
  matches(): boolean;
  /** Of the page, normalized; null where none is given. */
  path: string | null;
  /** Whether pages have to prove their user. */
  proofRequired: boolean;
  serving: Serving;
  /** What is missing before the channel can send; null for nothing. */
  channelFault: string | null;
};

/** The settings that the gates of a channel judge by. */
type GateSettings<Gates extends readonly AnyGate[]> = { settings: Settings<SettingsOf<Gates>> };

/** What a channel finds out about a user for its own gates, and what it knows better of the delivery. */
type ReadFindings<Gates extends readonly AnyGate[]> = (
  question: GateQuestion & GateSettings<Gates>,
) => Promise<
  Omit<Findings<Gates>, keyof GateQuestion | "settings"> & Partial<Pick<GateQuestion, "delivery">>
>;

/** The gates of a list, if what they take from the question is what the question has. */
type Answerable<Gates extends readonly AnyGate[]> =
  GateQuestion extends Pick<Findings<Gates>, keyof GateQuestion & keyof Findings<Gates>> ? Gates : never;

/** How a channel explains whether a user gets a campaign: it reads what its gates need to know, and each says what it finds. */
export const explainer =
  <const Gates extends readonly AnyGate[]>(gates: Answerable<Gates>, read: ReadFindings<Gates>) =>
  async (question: GateQuestion): Promise<AnswerOf<Gates>[]> => {
    const { db, app, projectId } = question;
    const settings = await readSettings(db, app.secrets, projectId, settingsOf(gates));
    const input = { ...question, settings } as GateQuestion & GateSettings<Gates>;
    const findings = { ...input, ...(await read(input)) };
    return explainGates<Gates>(gates, findings as unknown as Findings<Gates>);
  };
