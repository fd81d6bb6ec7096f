import { statSync } from 'node:fs';
import { filesIn } from './filesIn.ts';

/** Differs once a file has changed, or one of a folder; empty where there is none. */
export function stampOf(path: string): string {
  try {
    return (filesIn(path) ?? [path])
      .map((file) => {
        const { mtimeMs, size, ino } = statSync(file);
        return `${mtimeMs} ${size} ${ino}`;
      })
      .join('\n');
  } catch {
    return '';
  }
}
