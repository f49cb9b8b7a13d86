import { Counter, Gauge, Registry } from "prom-client";

/** Counts what one operation answered. */
export type OperationMetrics = { observe(status: number, milliseconds: number): void };

export type Metrics = {
  registry: Registry;
  operation(name: string): OperationMetrics;
  /** A gauge that is read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
  /** Gauges, by name with their meaning, that one question to the database answers: asked every ten seconds at most. */
  gauges<Name extends string>(helps: Record<Name, string>, read: () => Promise<Record<Name, number>>): void;
  /** Counts something by one label. */
  counter(name: string, help: string, label: string, values: readonly string[]): CountKind;
  /** A gauge that is always 1, whose labels say something. */
  info<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => Promise<Record<Label, string>>,
  ): void;
  /** A queue whose length is read when it is scraped. */
  queue(name: string, length: () => number): void;
};

/** Counts one more of a kind. */
export type CountKind = (kind: string) => void;

/** For so long an answer of the database is shown again, however often metrics are scraped. */
const READ_EVERY_MS = 10_000;

/** Repeats an answer for ten seconds; null where reading failed. Callers that come during a read wait for its answer. */
function rarely<T>(read: () => Promise<T>, steadyMs: () => number): () => Promise<T | null> {
  let last: { at: number; answer: Promise<T | null> } | null = null;
  return () => {
    const now = steadyMs();
    if (last === null || now - last.at >= READ_EVERY_MS) last = { at: now, answer: read().catch(() => null) };
    return last.answer;
  };
}

type Counts = { byStatus: Map<number, number>; milliseconds: number; within: number[] };

/** Upper bounds of the latency buckets, in milliseconds. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];

/**
 * Prometheus metrics of one server. Requests are counted in plain numbers and handed to prom-client when it is scraped:
 * its own way of counting hashes the labels each time.
 * @param steadyMs a clock that only goes on, in milliseconds
 */
export function createMetrics(steadyMs: () => number = () => performance.now()): Metrics {
  const registry = new Registry();
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

  const queues = new Map<string, () => number>();
  new Gauge({
    name: "tidings_queue_length",
    help: "What waits in this process, by queue.",
    labelNames: ["queue"],
    registers: [registry],
    collect() {
      for (const [queue, length] of queues) this.set({ queue }, length());
    },
  });

  return {
    registry,
    queue(name, length) {
      queues.set(name, length);
    },
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
    gauges(helps, read) {
      const answer = rarely(read, steadyMs);
      for (const [name, help] of Object.entries<string>(helps))
        new Gauge({
          name,
          help,
          registers: [registry],
          async collect() {
            const values: Record<string, number> | null = await answer();
            const value = values?.[name];
            // A value that could not be read is left out of the answer.
            if (value === undefined) this.remove();
            else this.set(value);
          },
        });
    },
    counter(name, help, label, values) {
      const made = new Counter({ name, help, labelNames: [label], registers: [registry] });
      for (const value of values) made.inc({ [label]: value }, 0);
      return (kind) => made.inc({ [label]: kind });
    },
    info(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        async collect() {
          this.set(await read(), 1);
        },
      });
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
