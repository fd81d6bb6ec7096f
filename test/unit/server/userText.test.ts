/** Text of a file in hovers, rendered with what VS Code renders it with. */
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { CompletionList, Hover, MarkupContent } from 'vscode-languageserver';
import { inlineCode, plainMarkdown, userMarkdown } from '../../../server/text/userText.ts';
import * as fc from '../../support/property.ts';
import { main, positionAt, withClient } from '../../support/server.ts';

const html = (text: string): string => marked.parse(text, { async: false, gfm: true });
/** What a rendered text has that it must not: tags other than those of plain structure, and links that are no web pages. */
const forbidden = (rendered: string): readonly string[] =>
  (rendered.match(/<[^>]*>/g) ?? []).filter(
    (tag) =>
      !/^<\/?(?:p|em|strong|code|pre|ul|li|h[1-6]|blockquote|a)>$|^<(?:hr|br)>$|^<\/?ol(?: start="\d+")?>$|^<code class="language-\w+">$|^<a href="https?:\/\/[^"]*">$/.test(
        tag,
      ),
  );

const attacks = [
  '![pixel](https://evil.example/pixel.png)',
  '![pixel][ref]\n\n[ref]: https://evil.example/pixel.png',
  '<img src="https://evil.example/pixel.png">',
  '<img src=x onerror=alert(1)',
  '[click](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22rm%22%7D)',
  '[click](&#99;ommand:x)',
  '[click](<command:x>)',
  '[click](command:x "title")',
  '[click][ref]\n\n[ref]: command:x',
  '[click]\n\n[click]: command:x',
  '<command:x>',
  '[file](file:///etc/passwd)',
  '[image ![a](https://evil.example/a.png)](https://example.org)',
  '[![a](https://evil.example/a.png)](https://example.org)',
  // Code that is none to the renderer, or ends earlier there.
  '\\`![a](https://evil.example/a.png)`',
  '``` `![a](https://evil.example/a.png)` ``` ![a](https://evil.example/a.png)',
  '`` ` `` ![a](https://evil.example/a.png) `',
  '`a\n\n![a](https://evil.example/a.png)`',
  'a | b\n--- | ---\n`x | ![a](https://evil.example/a.png)`',
  '~~~\n```\n~~~\n![a](https://evil.example/a.png)\n```',
  '```\ncode\n   ````\n![a](https://evil.example/a.png)',
  '> ```\n![a](https://evil.example/a.png)',
  '- ```\n![a](https://evil.example/a.png)\n```',
  '    ```\n![a](https://evil.example/a.png)\n```',
  '``` ` \n![a](https://evil.example/a.png)\n```',
  '&lt;img src=x&gt; &#60;img src=x&#62;',
  '[a](https://example.org/`![b](https://evil.example/a.png)`)',
  '[a](https://example.org/`![b](https://evil.example/a.png)`)<command:x>',
  'https://example.org/\\<command:x>',
  'www.example.org/<command:x>',
  'a@example.org/<command:x>',
  '[a](https://example.org\\)![b](https://evil.example/a.png))',
];

const pieces = fc.constantFrom(
  ...attacks,
  ...[
    'www.a.org/',
    'a@b.org',
    '`',
    '``',
    '```',
    '~~~',
    '\\',
    '[',
    ']',
    '(',
    ')',
    '!',
    '<',
    '>',
    '|',
    '\n',
    '\n\n',
    '    ',
    '- ',
    '> ',
    '# ',
    '&#33;',
  ],
  ...[
    'command:x',
    'https://example.org',
    '![a](x)',
    '<b>',
    '[r]: x',
    '---',
    'text',
    '*',
    '_',
    '\t',
    '\r',
    '\u202e',
    '\u001b',
  ],
);
const text = fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 14 }).map((parts) => parts.join(''));

describe('a doc comment', () => {
  test.each(attacks)('has no image, no HTML and no command: %j', (attack) => {
    expect(forbidden(html(userMarkdown(attack)))).toEqual([]);
  });

  test('the guard of these tests sees what it is about', () => {
    expect(attacks.filter((attack) => forbidden(html(attack)).length > 0).length).toBeGreaterThan(15);
  });

  test('whatever it says', () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(forbidden(html(userMarkdown(written)))).toEqual([]);
      }),
    );
  });

  test('keeps emphasis, lists, code and links to web pages', () => {
    const written =
      'Use **two** of `a[0] <b>`, see [the paper](https://example.org/a_b?c=1#d):\n- one\n- two\n\n```pipe\nlet a = `<1>`\n```';
    expect(html(userMarkdown(written))).toBe(html(written));
  });

  test('reads as it was written, where that is no Markdown', () => {
    for (const plain of ['a < b & c > d', 'x[0] | y[1]', '2 * 3 ~ 6 !', 'a\\b']) {
      const shown = html(userMarkdown(plain)).replaceAll(/<\/?p>|\n$/g, '');
      expect(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(plain);
    }
  });
});

test('plain text stays plain, and code in a line stays one piece of code', () => {
  fc.assert(
    fc.property(text, (written) => {
      const rendered = html(plainMarkdown(written));
      expect((rendered.match(/<[^>]*>/g) ?? []).filter((tag) => !/^<\/?(?:p|br|pre|code)>$/.test(tag))).toEqual([]);
      const inside = inlineCode(written);
      if (inside !== '') expect(html(`a ${inside} b`)).toMatch(/^<p>a <code>[^<]*<\/code> b<\/p>\n$/);
    }),
  );
});

const evil = '![a](https://evil.example/a.png) [b](command:x) <img src=x>';

test('hovers, completion and documents of a name use it', async () => {
  const source = `/// ${evil}\nparam speed = 4 in 1..8\n\nlet twice = speed\n`;
  await withClient(async (client) => {
    client.open(main, source);
    const document = { textDocument: { uri: main } };
    const at = positionAt(source, source.lastIndexOf('speed') + 1);
    const hover = await client.request<Hover>('textDocument/hover', { ...document, position: at });
    const shown = (hover.contents as MarkupContent).value;
    expect(shown).toContain('evil');
    expect(forbidden(html(shown))).toEqual([]);
    const list = await client.request<CompletionList>('textDocument/completion', { ...document, position: at });
    const { documentation } = list.items.find(({ label }) => label === 'speed') ?? {};
    const doc = (documentation as MarkupContent).value;
    expect(doc).toContain('evil');
    expect(forbidden(html(doc))).toEqual([]);
  });
});

test('an operation of a row is quoted as code, with the comments in it', async () => {
  const source = `schedule s {\n  row(d) = F[0 /* \` ${evil} \` */ ..3]\n}\n`;
  await withClient(async (client) => {
    client.open(main, source);
    const position = positionAt(source, source.indexOf('F['));
    const hover = await client.request<Hover>('textDocument/hover', { textDocument: { uri: main }, position });
    const shown = (hover.contents as MarkupContent).value;
    expect(shown).toContain('evil');
    expect(forbidden(html(shown))).toEqual([]);
  });
});
