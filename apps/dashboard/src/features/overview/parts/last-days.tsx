import { Card, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import type { UseQueryResult } from "@tanstack/react-query";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf, utcDayOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Failed, Loaded } from "../../../ui/loaded.tsx";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import { words as ui } from "../../../ui/words.ts";
import { barsOf, type Day, type Figures, type ProjectMetrics, reportDays } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./last-days.module.css";

const FIGURES = ["events", "reached", "converted"] as const satisfies readonly (keyof Figures)[];
type FigureOfDay = (typeof FIGURES)[number];

const HEIGHT = 72;

/** A count as it stands in a cell; what is not counted yet comes after the page. */
const countOf = (count: number | null): string => (count === null ? ui.counting : numberOf(count));

/** What a chart shows, in a sentence. */
function sentenceOf(figure: FigureOfDay, days: readonly Day[], total: number): string {
  const most = days.reduce<Day | null>(
    (best, day) => ((day[figure] ?? 0) > (best?.[figure] ?? 0) ? day : best),
    null,
  );
  return words.sentence(
    words.figures[figure],
    numberOf(total),
    utcDayOf(days[0]?.startAt ?? 0),
    utcDayOf(days.at(-1)?.startAt ?? 0),
    most && words.most(countOf(most[figure]), utcDayOf(most.startAt)),
  );
}

type Bars = { figure: FigureOfDay; days: readonly Day[]; total: number | null };

function DayBars({ figure, days, total }: Bars) {
  const { ref, width } = useElementSize();
  const values = days.map((day) => ({ startAt: day.startAt, value: day[figure] ?? 0 }));
  const { bars, thickness } = barsOf(values, width, HEIGHT);
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed">
        {words.figures[figure]}
      </Text>
      <Text size="xl" fw={650}>
        {countOf(total)}
      </Text>
      <div ref={ref} className={classes.space}>
        {width > 0 && total !== null && (
          <svg
            className={classes.chart}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={sentenceOf(figure, days, total)}
          >
            <line className={classes.base} x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
            {bars.map(({ at, x, y, height }) => (
              <rect key={at} className={classes.bar} x={x} y={y} width={thickness} height={height} />
            ))}
          </svg>
        )}
      </div>
      <div className={classes.ends}>
        <span>{utcDayOf(days[0]?.startAt ?? 0)}</span>
        <span>{utcDayOf(days.at(-1)?.startAt ?? 0)}</span>
      </div>
    </Card>
  );
}

const cellsOf = (day: Day): string[] => [
  utcDayOf(day.startAt),
  ...FIGURES.map((figure) => countOf(day[figure])),
];

function Charts({ days, totals }: ReturnType<typeof reportDays>) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {FIGURES.map((figure) => (
          <DayBars key={figure} figure={figure} days={days} total={totals[figure]} />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {words.figuresAbout}
      </Text>
      <details>
        <summary>{ui.asTable}</summary>
        <SaveTable
          name="days"
          heads={[words.day, ...FIGURES.map((figure) => words.figures[figure])]}
          rows={days.map((day) => [
            new Date(day.startAt).toISOString().slice(0, 10),
            ...FIGURES.map((figure) => day[figure]),
          ])}
        />
        <Rows
          heads={[words.day, ...FIGURES.map((figure) => words.figures[figure])]}
          rows={days.toReversed().map((day) => ({ id: day.startAt, cells: cellsOf(day) }))}
        />
      </details>
    </>
  );
}

/** How often all messages of a project are counted anew while the page is on the screen. */
const EVERY_MS = 60_000;

/** The last 90 days: what was done, what was met, what converted. */
export function LastDays({ scope, metrics }: { scope: string; metrics: UseQueryResult<ProjectMetrics> }) {
  const results = useOperation(
    scope,
    "getResultDays",
    { query: { range: "90d" } },
    { refetchInterval: EVERY_MS },
  );
  return (
    <Stack component="section" gap="xs" aria-labelledby="days">
      <Title order={2} size="h4" id="days">
        {words.days}
      </Title>
      <Loaded query={metrics}>
        {(counted) => (
          <Stack gap="xs">
            <Charts {...reportDays(counted, results.data ?? null)} />
            <Failed query={results} />
            <Text size="sm" c="dimmed">
              {words.daysAbout(timeWithSecondsOf(counted.evaluatedAt))}
              {counted.countedThrough !== undefined &&
                ` ${words.behind(timeWithSecondsOf(counted.countedThrough))}`}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
