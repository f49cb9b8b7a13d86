/**
 * Loaded into a server before anything else: its clock is as far ahead as its environment says, and then as far as the test that started
 * it says. What waits for minutes is due at once.
 */
const systemNow = Date.now;
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

Date.now = () => systemNow() + aheadMs;
process.on("message", (ms: number) => {
  aheadMs = ms;
  process.send?.(ms);
});
// The channel to the test does not keep a server alive that was asked to stop.
process.channel?.unref();
