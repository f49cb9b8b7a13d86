export { findCampaign, listVariants } from "./store.ts";
