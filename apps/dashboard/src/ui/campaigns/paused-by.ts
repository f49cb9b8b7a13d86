/** Says who paused something, and when, as every page does. */
export const pausedBy = (name: string, time: string): string => `Paused by ${name}, ${time}`;
