export { keepImage } from "./image.ts";
export { countMedia } from "./store.ts";
