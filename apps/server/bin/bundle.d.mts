/** A file of the bundle, and its size in bytes. */
export type MadeFile = [name: string, size: number];

/** What a bundle was made from: a path from `apps/server`, and what `glance` and `digest` answered for it. */
export type MadeFrom = [path: string, glanced: string, was: string];

/** What stands in `dist/made.json`. */
export type Made = { folder: string; files: MadeFile[]; sources: MadeFrom[] };

export function glance(path: string): string;
export function digest(path: string): string;
export function readMade(dist: string): Made | null;
export function findBundle(home: string): string | null;
