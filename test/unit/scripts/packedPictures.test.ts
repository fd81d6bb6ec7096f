import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { picturesNextToPages } from '../../../scripts/packedPages.ts';

test('a packed page has its pictures below its folder, where the editor shows them', () => {
  const docs = mkdtempSync(path.join(tmpdir(), 'pipewright-pictures-'));
  try {
    for (const folder of ['schedules', 'images/schedules']) mkdirSync(path.join(docs, folder), { recursive: true });
    writeFileSync(path.join(docs, 'images/schedules/a.svg'), '<svg/>');
    writeFileSync(path.join(docs, 'README.md'), '![A](images/schedules/a.svg)');
    writeFileSync(path.join(docs, 'schedules/a.md'), '![A](../images/schedules/a.svg)');
    picturesNextToPages(docs);
    expect(readFileSync(path.join(docs, 'schedules/a.md'), 'utf8')).toBe('![A](pictures/schedules/a.svg)');
    expect(existsSync(path.join(docs, 'schedules/pictures/schedules/a.svg'))).toBe(true);
    expect(readFileSync(path.join(docs, 'README.md'), 'utf8')).toBe('![A](images/schedules/a.svg)');
  } finally {
    rmSync(docs, { recursive: true, force: true });
  }
});
