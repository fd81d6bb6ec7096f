/** A reader of a file that is small enough to be read as one text. */
import type { TextFault } from '../fault.ts';
import type { Recording } from '../../values/recording.ts';
import { asciiText } from '../kineto/bytes.ts';
import type { RunReader } from './runPart.ts';

const mostBytes = 64 * 2 ** 20;

export function textReader(
  file: string,
  read: (text: string) => { readonly recordings: readonly Recording[] } | { readonly faults: readonly TextFault[] },
): RunReader {
  const chunks: string[] = [];
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      if (size > mostBytes)
        return { file, line: 0, character: 0, message: `The file has more than ${mostBytes / 2 ** 20} MiB.` };
      chunks.push(asciiText(chunk, 0, chunk.length));
      return undefined;
    },
    end() {
      const text = chunks.join('');
      const result = read(text);
      if (!('faults' in result)) return result;
      const { start, message } = result.faults[0];
      const before = text.slice(0, start).split('\n');
      return { fault: { file, line: before.length - 1, character: (before.at(-1) ?? '').length, message } };
    },
  };
}
