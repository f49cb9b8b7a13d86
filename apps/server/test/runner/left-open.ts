import { setTimeout as sleep } from "node:timers/promises";

/** How long what a file closed may take to be gone: a connection to a server that is silent on purpose has its own time. */
const GRACE_MS = Number(process.env.TIDINGS_TEST_GRACE_MS ?? 20_000);

/** How many are open, by kind. */
type Open = ReadonlyMap<string, number>;

/** What keeps this process alive, by kind. */
const active = (): Open =>
  new Map(
    Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)).map(([kind, all]) => [
      kind,
      all?.length ?? 0,
    ]),
  );

/** What later files share, each counted anew whenever this process is looked at: it grows, shrinks and ends. */
const shared = new Set<() => Open>();

const added = (open: Open, before: Open): Open =>
  new Map([...open].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)]));

/** What would keep this process alive beside what files share, by kind. */
const now = (): Open => [...shared].reduce((open, count) => added(open, count()), active());

const more = (before: Open): string[] =>
  [...added(now(), before)].flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []));

/** Says that what is counted here stays open for later files; what is measured while it opens would include what others open meanwhile. */
const share = (count: () => Readonly<Record<string, number>>): void => {
  shared.add(() => new Map(Object.entries(count())));
};

/** A client's socket closes by itself: when its peer does, or when the collector finds a response that was not read. */
const CLOSES_BY_ITSELF = / TCPSocketWrap$/;
/** So long sockets are waited for where nothing else is open: they are no fault of the file, and nothing of the next one. */
const SOCKETS_MS = 500;

/** Waits until nothing is open that was not before; answers what stays open (servers, timers, child processes), or "". */
async function since(before: Open): Promise<string> {
  const faults = () => more(before).filter((kind) => !CLOSES_BY_ITSELF.test(kind));
  const start = Date.now();
  const waited = () => Date.now() - start;
  while (waited() < GRACE_MS && more(before).length > 0 && !(waited() > SOCKETS_MS && faults().length === 0))
    await sleep(10, undefined, { ref: false });
  return faults().join(", ");
}

/** A file in a process of its own could not end while it left something open; in a shared one it is asked. */
export const leftOpen = { now, since, share };
