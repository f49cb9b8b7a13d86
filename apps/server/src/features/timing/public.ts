export { type Pressing, pressedSql, type ReaderRow } from "./census-store.ts";
export { pressureGate } from "./gates/pressure.ts";
export { quietGate } from "./gates/quiet.ts";
export { timeGate } from "./gates/time.ts";
export { type LaterCounter, laterCounter } from "./later.ts";
export { lostAt, lostWords, OUT_OF_PATIENCE, postponedAt, type TimingFacts } from "./postpone.ts";
export { findTiming, lockPressures, type Pressures } from "./readers.ts";
export { readZones, zoneOfSql } from "./readers-store.ts";
export { releaseLoopOf } from "./release.ts";
