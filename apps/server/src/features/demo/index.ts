import type { Feature } from "../../platform/feature.ts";
import { shopAssets, shopNumbers, shopPages } from "./files.ts";

export const demo: Feature = { files: [...shopPages, ...shopAssets, shopNumbers] };
