import type { Answer } from "@tidings/client";

/** A campaign as a list has it. */
export type Campaign = Answer<"listCampaigns">["campaigns"][number];

/** A campaign by itself, with its variants. */
export type CampaignDetail = Answer<"getCampaign">["campaign"];

export type Channel = Campaign["channel"];
export type CampaignStatus = Campaign["effectiveStatus"];

export type Goal = Answer<"getGoal">["goal"];

/** Users who were served by a goal's campaigns beside those who were held out. */
export type Holdout = Answer<"getGoalConversions">["holdout"];
