/** An export or import that is refused. `message` is one line for people; nothing was kept. */
export class PortableError extends Error {}
