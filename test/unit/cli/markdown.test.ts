import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { expect, it } from 'vitest';
import { figuresMarkdown } from '../../../server/text/figuresMarkdown.ts';
import { call, good } from './harness.ts';

const markdown = (...options: readonly string[]) =>
  call(['simulate', 'a.pipe', '--format', 'markdown', ...options], { files: { 'a.pipe': good } });

/** Cells as a reader sees them, and what the page has besides the table. */
function read(text: string): { readonly cells: readonly (readonly string[])[]; readonly others: readonly string[] } {
  const html = marked.parse(text, { async: false });
  const rows = [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) => [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)]);
  return {
    cells: rows.map((row) => row.map(([, cell]) => shown(cell))),
    others: [...html.matchAll(/<(?!\/|t[rhd]>|table>|thead>|tbody>)[^>]*>/g)].map(String),
  };
}

const signs: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
const shown = (html: string): string => html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (sign) => signs[sign]);

it('has the figures of the report, in its words and units', async () => {
  const { status, out } = await markdown();
  expect(status).toBe(0);
  expect(out).toBe(`| a.pipe | train |
| --- | --- |
| Schedule | 1f1b |
| Devices | 4 devices |
| Stages | 4 |
| Microbatches | 8 |
| Iteration | 264.1 ms |
| Throughput | 30.29 samples/s |
| Bubble | 27.3 % |
| Bound of the bubble | 11.1 %: no order can go below, even with split backwards |
| Exposed communication | 0 % |
| Peak memory | 5 GiB of 16 GiB on gpu\\[0\\] |
`);
  const report = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': good } });
  for (const words of ['264.1 ms', '30.29 samples/s', '27.3 %', '5 GiB']) expect(report.out).toContain(words);
});

it('has a column for each pipeline, or for the one that is named, and a dash for what a pipeline lacks', async () => {
  const second = good
    .slice(good.indexOf('pipeline train'))
    .replace('pipeline train', 'pipeline wide')
    .replace('= 1f1b', '= pipedream');
  const files = { 'b.pipe': `${good}${second}` };
  const all = read((await call(['simulate', 'b.pipe', '--format', 'markdown'], { files })).out).cells;
  expect(all[0]).toEqual(['b.pipe', 'train', 'wide']);
  expect(all.find(([name]) => name === 'Iteration')).toEqual(['Iteration', '264.1 ms', '–']);
  expect(all.find(([name]) => name === 'Period')?.slice(0, 2)).toEqual(['Period', '–']);
  const one = await call(['simulate', 'b.pipe', '--format', 'markdown', '--pipeline', 'wide'], { files });
  expect(read(one.out).cells[0]).toEqual(['b.pipe', 'wide']);
});

it('has throughput in tokens, MFU and exposed communication where they are known', async () => {
  const text = readFileSync(new URL('../../../examples/llama3-70b.pipe', import.meta.url), 'utf8');
  const { out } = await call(['simulate', 'a.pipe', '--format', 'markdown'], { files: { 'a.pipe': text } });
  const { cells } = read(out);
  const names = cells.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['Tokens', 'MFU', 'Exposed communication']));
  expect(cells.find(([name]) => name === 'Tokens')?.[1]).toMatch(/^[\d.]+ K tokens\/s, [\d.]+ tokens\/s per GPU$/);
});

it('keeps findings and notes out of the table', async () => {
  const { out, err } = await call(['simulate', 'a.pipe', '--format', 'markdown'], {
    files: { 'a.pipe': good.replace('16GiB', '3GiB') },
  });
  expect(read(out).others).toEqual([]);
  expect(out).toContain('(out of memory)');
  expect(err).toContain('memory/');
  const broken = await call(['simulate', 'a.pipe', '--format', 'markdown'], {
    files: { 'a.pipe': good.replace('= 1f1b', '= 1f2b') },
  });
  expect([broken.status, broken.out]).toEqual([1, '']);
});

it('shows names of other people as they are: no bar, control character or markup acts', () => {
  const evil = 'a|b\\|c\n| d |<img src=x>[e](http://f)`g|h`**i**_j_&lt;~~k~~\u001b[2J\u202e@l';
  const { cells, others } = read(figuresMarkdown(evil, [{ name: evil, rows: { Schedule: evil, Iteration: '1 s' } }]));
  const seen = 'a|b\\|c | d |<img src=x>[e](http://f)`g|h`**i**_j_&lt;~~k~~␛[2J�@l';
  expect(others).toEqual([]);
  expect(cells).toEqual([
    [seen, seen],
    ['Schedule', seen],
    ['Iteration', '1 s'],
  ]);
});

it('is refused together with options of figures', async () => {
  const { status, err } = await markdown('--memory');
  expect(status).toBe(2);
  expect(err).toContain('--memory is for --format');
});
