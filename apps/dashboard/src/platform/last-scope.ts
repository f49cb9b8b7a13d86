const KEY = "tidings.scope";

/** The project that was open last in this browser, or null. */
export function lastScope(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function keepScope(scope: string): void {
  try {
    localStorage.setItem(KEY, scope);
  } catch {
    // A browser that keeps nothing opens the first project.
  }
}
