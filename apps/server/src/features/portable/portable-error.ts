/** An export or import is refused. `message` is one line for people; nothing was stored. */
export class PortableError extends Error {}
