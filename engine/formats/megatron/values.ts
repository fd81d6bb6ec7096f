/** Values of flags, and which flags were asked for. */
import type { Flags } from './flags.ts';

export interface Values {
  /** Whether the flag is there. */
  has(name: string): boolean;
  word(name: string): string | undefined;
  /** All words behind the flag. */
  words(name: string): readonly string[];
  /** A whole number of at least `least`; undefined where it is absent, or is something else. */
  whole(name: string, least?: number): number | undefined;
  number(name: string): number | undefined;
  /** What was asked for is not carried after all. */
  leave(...names: readonly string[]): void;
  /** Flags that were asked for and had a value that could be read. */
  readonly read: ReadonlySet<string>;
}

export function valuesOf(flags: Flags): Values {
  const read = new Set<string>();
  const word = (name: string): string | undefined => flags.get(name)?.value?.text;
  const numeric = (name: string, pattern: RegExp): number | undefined => {
    const text = word(name);
    if (text === undefined || !pattern.test(text)) return undefined;
    read.add(name);
    return Number(text);
  };
  return {
    read,
    has(name) {
      if (flags.has(name)) read.add(name);
      return flags.has(name);
    },
    word(name) {
      const text = word(name);
      if (text !== undefined) read.add(name);
      return text;
    },
    words(name) {
      const flag = flags.get(name);
      if (flag?.value === undefined) return [];
      read.add(name);
      return [flag.value, ...(flag.more ?? [])].map(({ text }) => text);
    },
    whole(name, least = 1) {
      const value = numeric(name, /^\d{1,9}$/);
      if (value !== undefined && value >= least) return value;
      read.delete(name);
      return undefined;
    },
    leave(...names) {
      for (const name of names) read.delete(name);
    },
    number: (name) => numeric(name, /^\d*\.?\d+(?:e-?\d+)?$/),
  };
}
