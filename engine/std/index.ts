import { clusters } from './clusters.ts';
import { hardware } from './hardware.ts';
import { models } from './models.ts';
import { scheduleTexts } from './scheduleTexts.ts';

/** Files that come with the language, by what an `import` writes. Their uri is the same text. */
export const standardFiles: ReadonlyMap<string, string> = new Map([
  ['std:clusters', clusters],
  ['std:hardware', hardware],
  ['std:models', models],
  [
    'std:schedules',
    [
      `// Built-in schedules as text. You need no import to use one in a pipeline, or to take it over with \`from = zb_h1\`.
// An import replaces the built-in schedule of that name by its text, which gives the same order.
`,
      ...scheduleTexts.values(),
    ].join('\n'),
  ],
]);

const schedules = 'std:schedules/';

/** The text at a uri that begins with `std:`; undefined where there is none. */
export const standardText = (uri: string): string | undefined =>
  uri.startsWith(schedules) ? scheduleTexts.get(uri.slice(schedules.length)) : standardFiles.get(uri);

/** Uri of the text of a built-in schedule; undefined where it has none. */
export const scheduleUri = (name: string): string | undefined =>
  scheduleTexts.has(name) ? `${schedules}${name}` : undefined;
