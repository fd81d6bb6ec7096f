/** The table of findings, with each severity that they can have. */
import { catalogue, codes } from '../../engine/findings/catalogue.ts';
import type { Generated } from './generatedText.ts';
import { list, table } from './markdown.ts';

export const findingPages = (): readonly Generated[] => [
  {
    page: 'diagnostics/README.md',
    region: 'findings',
    text: table(
      ['code', 'severity', 'summary'],
      codes.map((each) => {
        const { severities, summary } = catalogue[each];
        return [`[${each}](${each}.md)`, list(severities).replaceAll('\n', ' or '), summary];
      }),
    ),
  },
];
