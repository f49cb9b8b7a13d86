import { useElementSize } from "@mantine/hooks";
import { utcDayOf } from "../platform/times.ts";
import { areaOf, type BandPoint, frameOf } from "./band.pure.ts";
import classes from "./band-chart.module.css";
import { Rows } from "./rows.tsx";
import { words } from "./words.ts";

const HEIGHT = 220;

type Props = {
  points: readonly BandPoint[];
  /** What the chart shows, for people who do not see it. */
  sentence: string;
  /** Of the table: the day, the lower end, the upper end. */
  heads: readonly [string, string, string];
  textOf: (value: number | null) => string;
};

/** A band around a difference over time, with the line of no difference, a sentence and a table. */
export function BandChart({ points, sentence, heads, textOf }: Props) {
  const { ref, width } = useElementSize();
  const frame = frameOf(points, width, HEIGHT);
  return (
    <div>
      <div ref={ref} className={classes.space}>
        {width > 0 && (
          <svg className={classes.chart} width={width} height={HEIGHT} role="img" aria-label={sentence}>
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
          rows={points.map(({ at, lower, upper }) => ({
            id: at,
            cells: [utcDayOf(at), textOf(lower), textOf(upper)],
          }))}
        />
      </details>
    </div>
  );
}
