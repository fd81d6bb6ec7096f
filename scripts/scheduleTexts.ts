/** Writes `engine/std/scheduleTexts.ts`, which carries the files of `engine/std/schedules/` into every bundle. Run it after a change there. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../engine/std/schedules/', import.meta.url);
const target = new URL('../engine/std/scheduleTexts.ts', import.meta.url);

/** The module that carries the texts as they are now, each in one line: nobody reads or edits them there. */
export function scheduleTextsModule(): string {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.pipe'))
    .sort();
  const texts = names.map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
      .replaceAll(/[\\`]|\$\{/g, '\\$&')
      .replaceAll('\n', '\\n');
    const name = file.slice(0, -'.pipe'.length);
    return `  [\n    '${name}',\n    \`${text}\`,\n  ],\n`;
  });
  return `/** Made by scripts/scheduleTexts.ts from engine/std/schedules/: change the files there, then run it. */
export const scheduleTexts: ReadonlyMap<string, string> = new Map([
${texts.join('')}]);
`;
}

if (import.meta.main) writeFileSync(target, scheduleTextsModule());
