export { eraseSendData } from "./store.ts";
