import type { ReadOnlyCopies } from '../platform/common/platform.ts';
import { virtualName, virtualText } from './text/virtualDocuments.ts';

/** A read-only copy of a document of the server; the address itself of any other file. */
export function addressOnDisk({ fileOf }: Pick<ReadOnlyCopies, 'fileOf'>, uri: string): string {
  const name = virtualName(uri);
  const text = name === undefined ? undefined : virtualText(uri);
  return name === undefined || text === undefined ? uri : fileOf(name, text);
}
