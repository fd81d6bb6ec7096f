/** In place of the readers of other programs' files, a fifth of the download. */
import type { ImportAnswer } from '../../../../webview/protocol/requests.ts';

export const importFile = (): NonNullable<ImportAnswer> => ({
  problem: 'The playground imports no files of other programs. Use the editor extension, or `pipewright import FILE`.',
});
