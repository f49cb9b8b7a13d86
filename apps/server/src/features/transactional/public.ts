export { guestIdOf } from "./rules.ts";
export { ensureTemplate } from "./send/own-template.ts";
export { requestSends } from "./send/request-sends.ts";
export { eraseSendData } from "./store.ts";
