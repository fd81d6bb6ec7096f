import { list } from '../basics/quantities.ts';

/** What an engine does not run. A sentence begins with its name as it writes it, or with a capital. */
export const unsupportedWords = ({ engine, refusals }: UnsupportedParameters): string =>
  refusals
    .map(({ words }) => `${words.startsWith(engine) ? words : words[0].toUpperCase() + words.slice(1)}.`)
    .join(' ');

/** All that an engine refuses at one place. `reason`: without the nearest that it runs, so it stays the same if another argument changes. */
export interface UnsupportedParameters {
  readonly engine: string;
  readonly refusals: readonly { readonly reason: string; readonly words: string }[];
}

/** What an engine does that the file leaves open. */
export const defaultsWords = ({
  engine,
  does,
}: {
  readonly engine: string;
  readonly does: readonly string[];
}): string => `By default ${engine} ${list(does)}, which this file leaves open.`;
