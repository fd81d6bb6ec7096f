/** The open documents: the one in the editor, and others that are compared with it. */

export interface Text {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
}

interface Followed {
  opened(text: Text): void;
  changed(text: Text): void;
  closed(uri: string): void;
}

export interface Texts {
  all(): readonly Text[];
  get(uri: string): Text | undefined;
  /** Opens a text, or replaces an open one. */
  set(uri: string, text: string): void;
  close(uri: string): void;
  follow(followed: Partial<Followed>): void;
}

export function createTexts(): Texts {
  const open = new Map<string, Text>();
  const followers = new Set<Partial<Followed>>();
  /** Versions rise over all texts of a uri: an answer for a text that was closed is for no later one. */
  const versions = new Map<string, number>();
  return {
    all: () => [...open.values()],
    get: (uri) => open.get(uri),
    set(uri, text) {
      const known = open.get(uri);
      if (known?.text === text) return;
      const version = (versions.get(uri) ?? 0) + 1;
      versions.set(uri, version);
      const next = { uri, version, text };
      open.set(uri, next);
      for (const each of followers) (known === undefined ? each.opened : each.changed)?.(next);
    },
    close(uri) {
      if (open.delete(uri)) for (const each of followers) each.closed?.(uri);
    },
    follow: (followed) => void followers.add(followed),
  };
}
