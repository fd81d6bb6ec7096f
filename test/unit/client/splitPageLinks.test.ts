import { expect, it } from 'vitest';
import { splitPageLinks } from '../../../client/splitPageLinks.ts';
import { userMarkdown } from '../../../server/text/userText.ts';

const folder = 'vscode://pipewright.pipewright/docs/';

it('takes links to pages out of the text', () => {
  const link = `[Definition and drawing](${folder}schedules/1f1b.md)`;
  expect(splitPageLinks(`\`1f1b\`\n\n${link}`, folder)).toEqual({
    text: '`1f1b`',
    links: [{ label: 'Definition and drawing', page: `${folder}schedules/1f1b.md` }],
  });
});

it.each([
  '[a](https://example.com/docs/a.md)',
  '[a](command:workbench.action.quit)',
  `[a](${folder}../package.json)`,
  `[a](${folder}a.js)`,
  `[<b>](${folder}a.md)`,
  `[a](${folder}a.md?x)`,
  userMarkdown(`[a](${folder}a.md)`),
  userMarkdown('[a](command:pipewright.openPage)'),
])('leaves other text as it is: %s', (text) => expect(splitPageLinks(text, folder)).toEqual({ text, links: [] }));
