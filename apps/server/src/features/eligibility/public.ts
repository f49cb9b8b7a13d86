export { takeCensus, takeCensusNow } from "./take-census.ts";
