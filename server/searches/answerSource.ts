import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { AnswerSource } from '../../engine/sweep/answer.ts';
import type { SweepSource } from '../../engine/sweep/rowsSearch.ts';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** What the figures of a search follow from. Paths are relative to the file, so that files may be moved together. `version`: of this program. */
export function answerSource(
  { uri, text, options, files, overrides = {} }: SweepSource,
  version: string,
): AnswerSource {
  const from = posix.dirname(uri);
  const others = Object.entries(files).map(
    ([file, read]) => [posix.relative(from, file), 'text' in read ? hash(read.text) : ''] as const,
  );
  const { engine } = options;
  return {
    program: version,
    text: hash(text),
    files: Object.fromEntries(others),
    ...(engine === undefined ? {} : { engine }),
    params: overrides,
  };
}
