/** Stores short texts by key, longer than the page lives where the browser allows it. */
export type Store = {
  /** Keys that start with `prefix`, in order. */
  keys(prefix: string): string[];
  get(key: string): string | null;
  set(key: string, value: string): void;
  delete(key: string): void;
};

/** The browser's storage; the page's memory where storage is not available (sandboxes, blocked cookies) or full. */
export function createStore(): Store {
  const memory = new Map<string, string>();
  const attempt = <T>(act: (storage: Storage) => T, otherwise: T): T => {
    try {
      return act(localStorage);
    } catch {
      return otherwise;
    }
  };
  return {
    keys: (prefix) =>
      [...attempt((storage) => Object.keys(storage), []), ...memory.keys()]
        .filter((key) => key.startsWith(prefix))
        .sort(),
    get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key), null),
    set(key, value) {
      const isKept = attempt((storage) => {
        storage.setItem(key, value);
        return true;
      }, false);
      if (!isKept) memory.set(key, value);
    },
    delete(key) {
      memory.delete(key);
      attempt((storage) => storage.removeItem(key), undefined);
    },
  };
}

/** An entry's first word, without blanks, and what comes after the blank behind it; nothing where it is missing, or not such an entry. */
export const pairIn = (store: Store, key: string): string[] =>
  /^(\w+) (.*)$/s.exec(store.get(key) ?? "")?.slice(1) ?? [];
