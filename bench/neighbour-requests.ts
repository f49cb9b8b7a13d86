import { httpRequest, type Load, load } from "./load.ts";
import { median, verdict } from "./report.ts";

/** Few enough that most of the machine is idle, as it is for a small server most of the time. */
const CONNECTIONS = 2;
/** The share of its requests that a neighbour keeps at least, and how much later its p99 may be. */
const [LEAST, MOST_P99] = [0.7, 1.3];

const KINDS = ["track", "messages"] as const;
export type Measured = Record<(typeof KINDS)[number], Load>;

export type Neighbour = { port: number; seconds: number; publishableKey: string };

let sequence = 0;

/** The requests of a neighbour, one kind after the other, so that neither disturbs the other. */
export async function measureRequests({ port, seconds, publishableKey }: Neighbour): Promise<Measured> {
  const drive = (request: () => string): Promise<Load> =>
    load({ port, connections: CONNECTIONS, seconds, request });
  const user = (): string => `user-${Math.floor(Math.random() * 1_000)}`;
  const track = await drive(() =>
    httpRequest(
      "POST",
      "/api/v1/track",
      publishableKey,
      `{"userId":"${user()}","event":"page_viewed","eventId":"e-${sequence++}"}`,
    ),
  );
  const messages = await drive(() => httpRequest("GET", `/api/v1/messages?userId=${user()}`, publishableKey));
  return { track, messages };
}

const line = (measured: Load): string =>
  `${measured.requestsPerSecond.toFixed(0).padStart(6)}/s p99 ${measured.p99.toFixed(1).padStart(6)} ms`;

/** What a neighbour keeps of its requests beside some work: rounds are compared, each undisturbed and beside it, and then judged together. */
export function compareRequests(what: string) {
  const ratios = { track: { rate: [], p99: [] }, messages: { rate: [], p99: [] } } as Record<
    (typeof KINDS)[number],
    { rate: number[]; p99: number[] }
  >;
  return {
    add(round: string, quiet: Measured, beside: Measured): void {
      for (const kind of KINDS) {
        const [one, other] = [beside[kind], quiet[kind]];
        ratios[kind].rate.push(one.requestsPerSecond / other.requestsPerSecond);
        ratios[kind].p99.push(one.p99 / other.p99);
        console.log(
          `${round}  ${kind.padEnd(8)} undisturbed ${line(other)}   beside ${what} ${line(one)}  ${JSON.stringify(one.statuses)}`,
        );
      }
    },
    judge(): void {
      for (const kind of KINDS) {
        const { rate, p99 } = ratios[kind];
        verdict(`${kind} beside ${what}, of its requests`, median(rate), LEAST);
        verdict(`${kind} beside ${what}, ${MOST_P99} / its p99 ratio`, MOST_P99 / median(p99), 1);
      }
    },
  };
}
