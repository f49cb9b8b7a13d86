/**
 * Whether less than `ms` lie between now and an instant that was kept before. Both ways, because a device's clock may be set back: an
 * instant that seems to lie far ahead is as old as anything.
 */
export const isWithin = (ms: number, instant: number): boolean => Math.abs(Date.now() - instant) < ms;
