import { list } from '../basics/quantities.ts';

/** What an engine does not run. A sentence begins with its name as it writes it, or with a capital. */
export const unsupportedWords = ({ engine, reason }: { readonly engine: string; readonly reason: string }): string =>
  `${reason.startsWith(engine) ? reason : reason[0].toUpperCase() + reason.slice(1)}.`;

/** What an engine does that the file leaves open. */
export const defaultsWords = ({
  engine,
  does,
}: {
  readonly engine: string;
  readonly does: readonly string[];
}): string => `By default ${engine} ${list(does)}, which this file leaves open.`;
