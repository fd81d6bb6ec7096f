import { describe, expect, test } from 'vitest';
import { catalogue, codes } from '../../../engine/findings/catalogue.ts';
import { analyseBlockOf, blocks, exists, pages, textOf } from './pages.ts';

/** Codes that may be about a device, a cluster or its links. */
const advisesOtherwise =
  /^(?:syntax|name|key|type|value|import)\/|^(?:device\/unknown-route|device\/efficiency|comm\/bottleneck-link)$/;

describe.each([...codes])('the page of %s', (code) => {
  const page = `docs/diagnostics/${code}.md`;
  const analyse = analyseBlockOf(code);

  test('is there, with its code and severity', () => {
    expect(exists(page)).toBe(true);
    const text = textOf(page);
    expect(text.startsWith(`# ${code}\n\nSeverity: ${catalogue[code].severities[0]}`)).toBe(true);
  });

  test('has an example that raises it, and no other error', () => {
    const [example] = blocks(textOf(page), 'pipe');
    const found = analyse(example).findings;
    expect(found.map((finding) => finding.code)).toContain(code);
    const others = found.filter((finding) => finding.severity === 'error' && finding.code !== code);
    expect(others.map((finding) => `${finding.code}: ${finding.message}`)).toEqual([]);
  });

  test('has a mended example, where it has one, without it and without errors', () => {
    for (const mended of blocks(textOf(page), 'pipe fixed')) {
      const found = analyse(mended).findings.filter((finding) => finding.code === code || finding.severity === 'error');
      const informative = code === 'schedule/bubble' && found.every((finding) => finding.severity !== 'error');
      if (!informative) expect(found.map((finding) => `${finding.code}: ${finding.message}`)).toEqual([]);
    }
  });

  test('has a mended example that keeps the hardware and the limits, where the advice is about something else', () => {
    const text = textOf(page);
    const [example] = blocks(text, 'pipe');
    const kept = (block: string) => block.split('\n').filter((line) => /^(?:device|cluster|expect)\b/.test(line));
    if (!advisesOtherwise.test(code))
      for (const mended of blocks(text, 'pipe fixed')) expect(kept(mended)).toEqual(kept(example));
  });
});

test('there is no page without a code', () => {
  const found = pages.flatMap((page) => /^docs\/diagnostics\/(.+\/.+)\.md$/.exec(page)?.[1] ?? []);
  expect(found.toSorted()).toEqual([...codes].toSorted());
});

test('the index lists every code with severity and summary', () => {
  const rows = [...textOf('docs/diagnostics/README.md').matchAll(/^\| \[(.+)\]\((.+)\.md\) \| ([\w ]+) \| (.+) \|$/gm)];
  expect(rows.map(([, code, link, severity, summary]) => [code, link, severity, summary])).toEqual(
    codes.map((code) => [code, code, catalogue[code].severities.join(' or '), catalogue[code].summary]),
  );
});
