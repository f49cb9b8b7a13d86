import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** Counts what one operation answered. */
export type OperationMetrics = { observe(status: number, milliseconds: number): void };

export type Metrics = {
  registry: Registry;
  operation(name: string): OperationMetrics;
  /** A gauge that is read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
};

type Counts = { byStatus: Map<number, number>; milliseconds: number; within: number[] };

/** Upper bounds of the latency buckets, in milliseconds. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];

/**
 * Prometheus metrics of one server. Requests are counted in plain numbers and handed to prom-client when it is scraped:
 * its own way of counting hashes the labels each time.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const operations = new Map<string, Counts>();

  /** A counter that is worked out from the plain numbers at each scrape. */
  function counter(
    name: string,
    help: string,
    labelNames: string[],
    each: (counter: Counter, operation: string, counts: Counts) => void,
  ): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [operation, counts] of operations) each(this, operation, counts);
      },
    });
  }

  counter(
    "tidings_http_requests_total",
    "Answered requests.",
    ["operation", "status"],
    (it, operation, { byStatus }) => {
      for (const [status, count] of byStatus) it.inc({ operation, status }, count);
    },
  );
  counter(
    "tidings_http_request_seconds_total",
    "Time spent on requests.",
    ["operation"],
    (it, operation, counts) => it.inc({ operation }, counts.milliseconds / 1_000),
  );
  const WITHIN = "Requests answered within so many seconds.";
  counter(
    "tidings_http_requests_within_total",
    WITHIN,
    ["operation", "le"],
    (it, operation, { within, byStatus }) => {
      const total = [...byStatus.values()].reduce((sum, count) => sum + count, 0);
      for (const [index, bound] of BOUNDS.entries())
        it.inc({ operation, le: bound / 1_000 }, within[index] ?? 0);
      it.inc({ operation, le: "+Inf" }, total);
    },
  );

  return {
    registry,
    operation(name) {
      const counts: Counts = { byStatus: new Map(), milliseconds: 0, within: BOUNDS.map(() => 0) };
      operations.set(name, counts);
      return {
        observe(status, milliseconds) {
          counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
          counts.milliseconds += milliseconds;
          for (let i = BOUNDS.length - 1; i >= 0 && milliseconds <= (BOUNDS[i] ?? 0); i--) {
            counts.within[i] = (counts.within[i] ?? 0) + 1;
          }
        },
      };
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
}
