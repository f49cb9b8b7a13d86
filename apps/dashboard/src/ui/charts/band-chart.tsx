import { useElementSize } from "@mantine/hooks";
import { timeOf, utcDayOf } from "../../platform/times.ts";
import { Rows } from "../lists/rows.tsx";
import { words } from "../words.ts";
import { areaOf, type BandPoint, frameOf } from "./band.pure.ts";
import classes from "./band-chart.module.css";

const HEIGHT = 220;
/** Pixels below the band, where its days stand. */
const BELOW = 24;

type Props = {
  points: readonly BandPoint[];
  /** What the chart shows, for people who do not see it. */
  sentence: string;
  /** Of the table: the day, the lower end, the upper end. */
  heads: readonly [string, string, string];
  textOf: (value: number | null) => string;
  /** Where what is drawn began, and what is written there; without it the chart begins with the band. */
  mark?: { at: number; label: string } | undefined;
};

/** A band around a difference over time, with the line of no difference, a sentence and a table. */
export function BandChart({ points, sentence, heads, textOf, mark }: Props) {
  const { ref, width } = useElementSize();
  const frame = frameOf(points, width, HEIGHT, mark?.at);
  const last = points.at(-1);
  // The last point is of now, all others are ends of days.
  const dayOf = ({ at }: BandPoint): string => (at === last?.at ? timeOf(at) : utcDayOf(at));
  return (
    <div>
      <div ref={ref} className={classes.space}>
        {width > 0 && (
          <svg
            className={classes.chart}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={sentence}
          >
            <path className={classes.band} d={areaOf(points, frame)} />
            {frame.ticks.map(({ value, y }) => (
              <g key={value}>
                <line
                  className={value === 0 ? classes.zero : classes.grid}
                  x1={frame.left}
                  x2={width}
                  y1={y}
                  y2={y}
                />
                <text className={classes.label} x={frame.left - 8} y={y} dy="0.32em" textAnchor="end">
                  {textOf(value)}
                </text>
              </g>
            ))}
            {mark !== undefined && (
              <g>
                <line className={classes.mark} x1={frame.left} x2={frame.left} y1={0} y2={HEIGHT - BELOW} />
                <text className={classes.label} x={frame.left + 6} y={14}>
                  {mark.label}
                </text>
              </g>
            )}
            {frame.days.map(({ at, x, anchor }) => (
              <text key={at} className={classes.label} x={x} y={HEIGHT - 4} textAnchor={anchor}>
                {utcDayOf(at)}
              </text>
            ))}
          </svg>
        )}
      </div>
      <p className={classes.sentence}>{sentence}</p>
      <details>
        <summary>{words.asTable}</summary>
        <Rows
          heads={heads}
          rows={points.map((point) => ({
            id: point.at,
            cells: [dayOf(point), textOf(point.lower), textOf(point.upper)],
          }))}
        />
      </details>
    </div>
  );
}
