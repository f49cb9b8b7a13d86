/** The ends of the band around a relative difference (0.1: 10 % more) at an instant (epoch ms); `upper` is null where it has no end. */
export type BandPoint = { at: number; lower: number; upper: number | null };

/** Where things lie in a chart, in pixels. */
export type ChartFrame = {
  left: number;
  ticks: readonly { value: number; y: number }[];
  days: readonly { at: number; x: number; anchor: "start" | "end" }[];
  xOf: (at: number) => number;
  yOf: (difference: number) => number;
};

const LEFT = 64;
const BELOW = 24;
const ABOVE = 10;
/** Pixels between two lines, so that their labels can be read. */
const APART = 26;
/** Ends of the scale as logarithms: a sixth, and six times as much. */
const FARTHEST = Math.log(6);
const NEAREST = 0.03;
const ROOM = 1.1;
/** How much of the scale the side without the band gets, as a part of the other side. */
const OTHER_SIDE = 0.3;

/** Where a line may be drawn, from the most to the least wanted. */
const LINES = [
  0, 1, -0.5, 0.5, 0.2, -0.2, 3, -0.75, 0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 2, 0.3, -0.3, 0.01, -0.01,
];

/** Twice as much is as far from no difference as half as much. */
const logOf = (difference: number): number => Math.log(Math.max(0, 1 + difference));

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The ends of the scale: a band is wide at first, so they follow its later half, and no difference is always within. */
function scaleOf(points: readonly BandPoint[]): [low: number, high: number] {
  const later = points.slice(Math.floor(points.length / 2));
  const lowest = Math.min(...later.map(({ lower }) => logOf(lower)));
  const highest = Math.max(...later.map(({ upper }) => (upper === null ? FARTHEST : logOf(upper))));
  const low = clamp(ROOM * lowest, -FARTHEST, -NEAREST);
  const high = clamp(ROOM * highest, NEAREST, FARTHEST);
  return [Math.min(low, -OTHER_SIDE * high), Math.max(high, -OTHER_SIDE * low)];
}

/** Lays out a chart of a width and a height (pixels) for a band of one day or more. It begins at `from` (epoch ms), or with the band. */
export function frameOf(
  points: readonly BandPoint[],
  width: number,
  height: number,
  from = points[0]?.at ?? 0,
): ChartFrame {
  const [low, high] = scaleOf(points);
  const to = points.at(-1)?.at ?? 0;
  const xOf = (at: number): number => LEFT + (to === from ? 0 : ((at - from) / (to - from)) * (width - LEFT));
  const yOf = (difference: number): number =>
    ABOVE + ((high - clamp(logOf(difference), low, high)) / (high - low)) * (height - ABOVE - BELOW);
  const ticks: { value: number; y: number }[] = [];
  for (const value of LINES) {
    const isWithin = logOf(value) >= low && logOf(value) <= high;
    const y = yOf(value);
    if (isWithin && ticks.every((tick) => Math.abs(tick.y - y) >= APART)) ticks.push({ value, y });
  }
  const days = [
    { at: from, x: LEFT, anchor: "start" as const },
    ...(to > from ? [{ at: to, x: width, anchor: "end" as const }] : []),
  ];
  return { left: LEFT, ticks, days, xOf, yOf };
}

/** Pixels that a band of a single day is wide. */
const SINGLE = 24;

/** The area between both ends as an SVG path. */
export function areaOf(points: readonly BandPoint[], { xOf, yOf }: Pick<ChartFrame, "xOf" | "yOf">): string {
  const ends = points.map(({ at, lower, upper }) => ({
    x: xOf(at),
    above: yOf(upper ?? Number.POSITIVE_INFINITY),
    below: yOf(lower),
  }));
  const [first] = ends;
  if (first !== undefined && ends.length === 1) ends.push({ ...first, x: first.x + SINGLE });
  const pair = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;
  const corners = [
    ...ends.map(({ x, above }) => pair(x, above)),
    ...ends.map(({ x, below }) => pair(x, below)).toReversed(),
  ];
  return `M${corners.join("L")}Z`;
}
