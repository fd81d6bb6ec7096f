import { standardText } from '../../engine/std/index.ts';
import { LineIndex } from '../../grammar/index.ts';
import { diskHost, shownUri } from '../host.ts';
import type { Io } from '../io.ts';
import type { Checked } from './sarif.ts';

/** `toy.pipe:12:3`, counted from 1; the name alone where the file's text is not at hand. */
export function placeText(uri: string, offset: number, file: Checked, io: Io): string {
  if (uri === file.uri) return `${file.source.path}:${counted(file.source.lines, offset)}`;
  const standard = standardText(uri);
  const other = standard === undefined ? diskHost(io, file.uri).read(uri) : { text: standard };
  return 'text' in other ? `${shownUri(uri, io)}:${counted(new LineIndex(other.text), offset)}` : shownUri(uri, io);
}

function counted(lines: LineIndex, offset: number): string {
  const { line, character } = lines.positionAt(offset);
  return `${line + 1}:${character + 1}`;
}
