export {
  type ConsentProof,
  eraseChoices,
  logConsents,
  ofAddress,
  ofUser,
  readChoices,
  readTopicChoice,
  writeChoices,
} from "./choices-store.ts";
export { choicesOf, chooseForAddress } from "./choose.ts";
export { guestGate } from "./gates/guest.ts";
export { topicGate } from "./gates/topic.ts";
export { findHadAsGuest, hasUserSql, isGuestSql, readHadAsGuest, readHasUser } from "./guest-store.ts";
export { type Leaving, leaveTopics } from "./leave-store.ts";
export { isGuestId, wantsTopic } from "./rules.ts";
export { addressWantsSql } from "./topic-store.ts";
export { addressOfUser } from "./user-address.ts";
