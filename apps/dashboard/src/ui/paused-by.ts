/** Who paused something, and when, as every page says it. */
export const pausedBy = (name: string, time: string): string => `Paused by ${name}, ${time}`;
