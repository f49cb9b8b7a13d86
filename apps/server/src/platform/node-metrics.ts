import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

/**
 * How often it is measured how late the event loop is. prom-client does it every ten milliseconds, which was nearly all that a server
 * without requests cost, counts the ten as lateness, and misses the first look after a scrape.
 */
const EVERY_MS = 100;

/** As long as a timer of Node.js can be. */
const NEVER_MS = 2 ** 31 - 1;

const LAG = "nodejs_eventloop_lag";

/** Measures in nanoseconds how late the event loop comes to a timer, from now on. */
function watchLoop(): RecordableHistogram {
  const late = createHistogram();
  let due = performance.now() + EVERY_MS;
  const look = (): void => {
    const now = performance.now();
    // A histogram takes no zero.
    late.record(Math.max(1, Math.round((now - due) * 1e6)));
    due = now + EVERY_MS;
  };
  setInterval(look, EVERY_MS).unref();
  return late;
}

const FIGURES = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (late) => late.percentile(50),
  p90: (late) => late.percentile(90),
  p99: (late) => late.percentile(99),
} satisfies Record<string, (late: RecordableHistogram) => number>;

/** Measures how late the event loop is, at a scrape and since the last one, in seconds. */
function measureLag(registry: Registry): void {
  const late = watchLoop();
  const registers = [registry];
  // A scrape reads metrics in the order in which they were made: this one gives the others their values.
  new Gauge({
    name: `${LAG}_seconds`,
    help: "How late the event loop is at this scrape.",
    registers,
    async collect() {
      // Right after another scrape there was no look yet, and the figures of that one stay.
      if (late.count > 0) for (const { gauge, read } of gauges) gauge.set(read(late) / 1e9);
      late.reset();
      const began = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      this.set((performance.now() - began) / 1_000);
    },
  });
  const gauges = Object.entries(FIGURES).map(([figure, read]) => {
    const help = `How late the event loop was since the last scrape: ${figure}.`;
    return { gauge: new Gauge({ name: `${LAG}_${figure}_seconds`, help, registers }), read };
  });
}

/** Adds the metrics of the Node.js process, under the names that prom-client gives them. */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith(LAG)) registry.removeSingleMetric(name);
  measureLag(registry);
}
