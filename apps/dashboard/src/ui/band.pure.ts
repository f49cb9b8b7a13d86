/** The ends of a band at an instant (epoch ms); `upper` is null where the band has no end. */
export type BandPoint = { at: number; lower: number; upper: number | null };

/** Where things lie in a chart, in pixels. */
export type Frame = {
  left: number;
  ticks: readonly { value: number; y: number }[];
  days: readonly { at: number; x: number; anchor: "start" | "end" }[];
  xOf: (at: number) => number;
  yOf: (value: number) => number;
};

const LEFT = 64;
const BELOW = 24;
const ABOVE = 10;
/** The band is wide at first, so the scale follows its end, with room for what was before. */
const ROOM = 3;
const LEAST_SPAN = 0.1;
const MOST_SPAN = 4;
const MOST_TICKS = 5;

/** 1, 2 or 5 times a power of ten, so that at most five steps reach over the span. */
function stepOf(span: number): number {
  const least = span / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least) ?? 10;
  return factor * power;
}

/** Lays out a chart of a width and height for a band. A difference below -1 (nothing at all) does not exist. */
export function frameOf(points: readonly BandPoint[], width: number, height: number): Frame {
  const [first, last] = [points[0], points.at(-1)];
  const reach = Math.max(Math.abs(last?.lower ?? 0), Math.abs(last?.upper ?? 1));
  const span = Math.min(MOST_SPAN, Math.max(LEAST_SPAN, ROOM * reach));
  const [low, high] = [Math.max(-1, -span), span];
  const [from, to] = [first?.at ?? 0, last?.at ?? 0];
  const xOf = (at: number): number => LEFT + (to === from ? 0 : ((at - from) / (to - from)) * (width - LEFT));
  const yOf = (value: number): number => {
    const within = Math.min(high, Math.max(low, value));
    return ABOVE + ((high - within) / (high - low)) * (height - ABOVE - BELOW);
  };
  const step = stepOf(high - low);
  const lowest = Math.ceil(low / step);
  const count = Math.floor(high / step) - lowest + 1;
  const ticks = Array.from({ length: count }, (_, index) => {
    const value = (lowest + index) * step;
    return { value, y: yOf(value) };
  });
  const days = [
    { at: from, x: LEFT, anchor: "start" as const },
    ...(to > from ? [{ at: to, x: width, anchor: "end" as const }] : []),
  ];
  return { left: LEFT, ticks, days, xOf, yOf };
}

/** The area between both ends as an SVG path. A single point is drawn as wide as the chart is at its end. */
export function areaOf(points: readonly BandPoint[], { xOf, yOf }: Pick<Frame, "xOf" | "yOf">): string {
  const drawn = points.length === 1 ? points.flatMap((point) => [point, point]) : points;
  const pair = (at: number, value: number, index: number): string =>
    `${(xOf(at) + (points.length === 1 && index > 0 ? SINGLE : 0)).toFixed(1)},${yOf(value).toFixed(1)}`;
  const above = drawn.map(({ at, upper }, index) => pair(at, upper ?? Number.POSITIVE_INFINITY, index));
  const below = drawn.map(({ at, lower }, index) => pair(at, lower, index)).toReversed();
  return `M${[...above, ...below].join("L")}Z`;
}

/** Pixels that a single day is drawn wide. */
const SINGLE = 24;
