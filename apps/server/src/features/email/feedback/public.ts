export { eraseTouches } from "./erase-store.ts";
