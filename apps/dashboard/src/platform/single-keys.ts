const KEY = "tidings.single-keys";
const OFF = "off";

/** Whether single keys (g, /, ?) do something in this browser. People who speak to their computer type keys that they do not mean. */
export function hasSingleKeys(): boolean {
  try {
    return localStorage.getItem(KEY) !== OFF;
  } catch {
    return true;
  }
}

/** Turns single keys on or off, in this browser. */
export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, OFF);
  } catch {
    // A browser that keeps nothing keeps them on.
  }
}
