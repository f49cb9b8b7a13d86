import type { Clock } from "./time/clock.ts";

/** A map that keeps the entries set last: where there are too many, the one that was set longest ago goes. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    for (const oldest of this.keys()) {
      if (this.size < this.#max) break;
      this.delete(oldest);
    }
    return super.set(key, value);
  }
}

export type Remembering<Value extends NonNullable<unknown>, Missing extends null = never> = {
  clock: Clock;
  /** The most values that are kept. */
  max: number;
  /** How long a value is used, from the beginning of its load, in milliseconds. */
  believedMs: number;
  /** From this age on, reading a value loads it again in the background; the caller gets the old one at once. */
  freshMs?: number;
  /** Whether a value is over before that. */
  isOver?(value: Value, now: number): boolean;
  /** The key of a value that several names share; called before a load and after it. */
  keyOf?(name: string): string;
  /** Loads a value. A missing one (null) is answered and not kept. @param now when the load began, epoch milliseconds */
  load(name: string, now: number): Promise<Value | Missing>;
  /** Called where a load in the background fails. (Any other failure is thrown.) */
  onFault?(cause: unknown): void;
};

/** A load that is under way. */
export type Load<Answer> = {
  answer: Promise<Answer>;
  /** When it began, by `performance.now()`. */
  since: number;
};

/** Values by name, loaded when they are needed, one load of a name at a time. */
export type Remembered<Value, Missing = never> = {
  /** A value that is young enough, without a promise; else what a load answers. */
  get(name: string): Value | Promise<Value | Missing>;
  /** A value that is young enough, or undefined. Loads it again in the background from `freshMs` on. */
  believed(name: string): Value | undefined;
  /** A value that is kept, however old. */
  kept(name: string): { value: Value; ageMs: number } | undefined;
  /** Joins the load that is under way, or begins one. */
  load(name: string): Load<Value | Missing>;
  /** The load that is under way, if there is one. */
  loading(name: string): Load<Value | Missing> | undefined;
};

/** Remembers what was loaded, for a time, up to a number of values. */
export function remember<Value extends NonNullable<unknown>, Missing extends null = never>(
  declared: Remembering<Value, Missing>,
): Remembered<Value, Missing> {
  const { clock, max, believedMs, freshMs = Number.POSITIVE_INFINITY } = declared;
  const { isOver = () => false, keyOf = (name) => name, onFault } = declared;
  const values = new BoundedMap<{ value: Value; loadedAt: number }>(max);
  const loads = new Map<string, Load<Value | Missing>>();

  async function loadNow(name: string, key: string): Promise<Value | Missing> {
    const loadedAt = clock();
    const value = await declared.load(name, loadedAt);
    if (value === null) values.delete(key);
    else values.set(keyOf(name), { value, loadedAt });
    return value;
  }

  function load(name: string): Load<Value | Missing> {
    const key = keyOf(name);
    const underWay = loads.get(key);
    if (underWay !== undefined) return underWay;
    const begun = { since: performance.now(), answer: loadNow(name, key) };
    loads.set(key, begun);
    const end = (): boolean => loads.delete(key);
    begun.answer.then(end, end);
    return begun;
  }

  function believed(name: string): Value | undefined {
    const key = keyOf(name);
    const entry = values.get(key);
    if (entry === undefined) return undefined;
    const now = clock();
    const ageMs = now - entry.loadedAt;
    // After the clock was set back, the age cannot be known.
    if (ageMs < 0 || ageMs >= believedMs || isOver(entry.value, now)) return undefined;
    if (ageMs >= freshMs && !loads.has(key)) load(name).answer.catch((cause: unknown) => onFault?.(cause));
    return entry.value;
  }

  return {
    believed,
    load,
    get: (name) => believed(name) ?? load(name).answer,
    kept(name) {
      const entry = values.get(keyOf(name));
      return entry && { value: entry.value, ageMs: clock() - entry.loadedAt };
    },
    loading: (name) => loads.get(keyOf(name)),
  };
}
