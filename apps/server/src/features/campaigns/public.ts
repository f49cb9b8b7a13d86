export { findCampaign } from "./store.ts";
