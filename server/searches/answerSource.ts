import type { AnswerSource } from '../../engine/sweep/answer.ts';
import type { SweepSource } from '../../engine/sweep/rowsSearch.ts';
import { parse } from '../../grammar/index.ts';
import { sha256Hex } from '../../platform/common/sha256.ts';
import { folderOf, relativePath } from '../text/relativePath.ts';
import { searchKey } from './planTexts.ts';

/**
 * What the figures of a search follow from. Paths are relative to the file, so that files may be moved together. Comments and layout of
 * `.pipe` files may change between parts. `version`: of this program.
 */
export function answerSource(
  { uri, text, options, files, pipeline, overrides = {} }: SweepSource,
  version: string,
): AnswerSource {
  const from = folderOf(uri);
  const others = Object.entries(files).map(
    ([file, read]) =>
      [relativePath(from, file), 'text' in read ? sha256Hex(importedKey(file, read.text)) : ''] as const,
  );
  const { engine } = options;
  return {
    program: version,
    text: sha256Hex(searchKey(parse(text), pipeline)),
    files: Object.fromEntries(others),
    ...(engine === undefined ? {} : { engine }),
    params: overrides,
  };
}

/** What matters of a file that is read: of another format, every byte may. */
const importedKey = (file: string, text: string): string =>
  file.endsWith('.pipe')
    ? parse(text)
        .tokens.map((token) => token.text)
        .join('\n')
    : text;
