import * as fc from '../../support/property.ts';
import picocolors from 'picocolors';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { width } from '../../../cli/drawing/width.ts';
import { printable } from '../../../server/text/printable.ts';
import { findingText, sourceOf } from '../../../cli/output/findingText.ts';
import { githubLines } from '../../../cli/output/github.ts';
import { codes } from '../../../engine/findings/catalogue.ts';
import type { Finding } from '../../../engine/findings/finding.ts';
import { call, good } from './harness.ts';

const plain = picocolors.createColors(false);
const bad = good.replace('memory = 16GiB', 'memroy = 16GiB');
const files = { 'good.pipe': good, 'bad.pipe': bad };

const findingAt = (start: number, end: number, message = 'Something.'): Finding => ({
  code: 'key/unknown',
  severity: 'error',
  message,
  place: { uri: 'file:///a.pipe', start, end },
  related: [],
});

describe('check', () => {
  test('says how far published runs are off, of layers with shapes only', async () => {
    const text = `import { h100 } from "std:hardware"
cluster box { gpu[2] = h100  link = 300GB/s }
model m { sequence = 1024  layer block[4] = transformer(hidden = 1024, heads = 16) }
pipeline train { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  optimizer = megatron_bf16 }
`;
    const { out } = await call(['check', 'shapes.pipe'], { files: { 'shapes.pipe': text } });
    expect(out).toMatch(/^train: \S+ m?s ± \d+ %, \S+ [GM]iB of \S+ GiB ± \d+ %: fits in (\d+) of \1 such runs$/mu);
    const json = await call(['check', 'shapes.pipe', 'good.pipe', '--format', 'json'], {
      files: { 'shapes.pipe': text, 'good.pipe': good },
    });
    const [shapes, measured] = (JSON.parse(json.out) as { files: { accuracy: Record<string, unknown> }[] }).files;
    expect(shapes.accuracy).toMatchObject({ train: { kind: { device: 'hopper', nodes: 'one' } } });
    expect(measured.accuracy).toEqual({});
    expect((await call(['check', 'good.pipe'], { files })).out).not.toContain('±');
  });

  test('exits with 0 where nothing is wrong, and counts what there is to say', async () => {
    const { status, out, err } = await call(['check', 'good.pipe'], { files });
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/good\.pipe: (no findings|\d+ remarks?)\n$/);
  });

  test('says that an empty file has nothing to check', async () => {
    const outOf = async (text: string) => (await call(['check', 'new.pipe'], { files: { 'new.pipe': text } })).out;
    for (const text of ['', '\n// to do\n'])
      expect(await outOf(text)).toBe('new.pipe: nothing is declared here, so there was nothing to check\n');
    expect(await outOf('device gpu { memory = 1GiB }\n')).toBe('new.pipe: no findings\n');
  });

  test('exits with 1 for a mistake and points at it', async () => {
    const { status, out } = await call(['check', 'bad.pipe'], { files });
    expect(status).toBe(1);
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.includes('error[key/unknown]'));
    const row = bad.split('\n').findIndex((line) => line.includes('memroy')) + 1;
    const column = bad.split('\n')[row - 1].indexOf('memroy') + 1;
    expect(lines[at + 1]).toContain(`--> bad.pipe:${row}:${column}`);
    const under = lines[at + 4].indexOf('^');
    expect(lines[at + 3].slice(under, lines[at + 4].lastIndexOf('^') + 1)).toBe('memroy');
  });

  test('says for each test of a schedule how many shapes pass', async () => {
    const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
    const library = `schedule all { require microbatches >= 2  ${rows} }
expect all { over(devices = 1..3, microbatches = 1..4) valid }
schedule halved { ${rows.replace('F[0..<microbatches]', 'F[0..<2]')} }
expect halved { over(devices = 2, microbatches = 1..3) valid }`;
    const world = { 'library.pipe': library, 'good.pipe': good };
    const { out, status } = await call(['check', 'library.pipe'], { files: world });
    expect(status).toBe(1);
    expect(out).toContain(
      '\nall tested on 12 shapes: 9 pass, 3 are refused by the schedule (p = 1, m = 1: it requires microbatches >= 2, but here microbatches = 1)\n',
    );
    expect(out).toContain('\nhalved tested on 3 shapes: 1 pass, 2 fail\n');
    expect((await call(['check', 'library.pipe', 'good.pipe'], { files: world })).out).toContain(
      '\nlibrary.pipe: all tested on 12 shapes',
    );
    const json = JSON.parse((await call(['check', '--format', 'json', 'library.pipe'], { files: world })).out);
    expect(json.files[0].tests.map((found: { schedule: string }) => found.schedule)).toEqual(['all', 'halved']);
    expect(json.files[0].tests[1].shapes).toEqual(
      [1, 2, 3].map((microbatches) => ({
        devices: 2,
        microbatches,
        args: {},
        verdict: microbatches === 2 ? 'passed' : 'failed',
      })),
    );
  });

  test('names the schedules that the file only declares', async () => {
    const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
    const library = `schedule tested { ${rows} }
expect tested { over(devices = 1, microbatches = 1) valid }
schedule base { ${rows} }
schedule derived { from = base }
schedule wrong { row(d) = F[0..<] }
`;
    const { out, status } = await call(['check', 'library.pipe'], { files: { 'library.pipe': library } });
    expect(status).toBe(1);
    expect(out.match(/.* is not tested.*/g)).toEqual(['derived is not tested: write "expect derived { valid }"']);
    const used = `${good.replace(/schedule *= *\w+/, 'schedule = base')}schedule base { ${rows} }\n`;
    expect((await call(['check', 'used.pipe'], { files: { 'used.pipe': used } })).out).not.toContain('is not tested');
  });

  test('several files are one call; one mistake among them is enough for 1', async () => {
    const { status, out } = await call(['check', 'good.pipe', 'bad.pipe'], { files });
    expect(status).toBe(1);
    expect(out).toContain('2 files: ');
  });

  test('- is standard input, and its imports are those of the working folder', async () => {
    const text = `import "parts.pipe"\n${good.replace(/^device.*\n/m, '')}`;
    const world = { '-': text, 'parts.pipe': 'device v100 { memory = 16GiB }\n' };
    const { status, out } = await call(['check', '-'], { files: world });
    expect(out).toContain('<stdin>: ');
    expect(status).toBe(0);
    expect((await call(['check', '-'], { files: { '-': text } })).out).toContain('import/not-found');
  });

  test('colours come on a terminal only, and NO_COLOR turns them off', async () => {
    const shown = await call(['check', 'bad.pipe'], { files, terminal: true });
    expect(shown.out).not.toBe(stripVTControlCharacters(shown.out));
    const none = await call(['check', 'bad.pipe'], { files });
    expect(stripVTControlCharacters(shown.out)).toBe(none.out);
    expect((await call(['check', 'bad.pipe'], { files, terminal: true, environment: { NO_COLOR: '1' } })).out).toBe(
      none.out,
    );
  });

  test('a bar is drawn on standard error after a second, on a terminal, and taken away', async () => {
    expect((await call(['check', 'good.pipe'], { files, terminal: true, slow: 400 })).err).toMatch(/█[^]*\r\P{L}\[K$/u);
    expect((await call(['check', 'good.pipe'], { files, terminal: true, slow: 10 })).err).toBe('');
    expect((await call(['check', 'good.pipe'], { files, slow: 400 })).err).toBe('');
  });

  test('json has the findings of each file with zero-based ranges', async () => {
    const { status, out } = await call(['check', 'good.pipe', 'bad.pipe', '--format=json'], { files });
    const answer = JSON.parse(out);
    expect([status, answer.version, answer.files.length, answer.files[1].file]).toEqual([1, 1, 2, 'bad.pipe']);
    const mistake = answer.files[1].findings.find((finding: { code: string }) => finding.code === 'key/unknown');
    const line = bad.split('\n')[mistake.range.start.line];
    expect(line.slice(mistake.range.start.character, mistake.range.end.character)).toBe('memroy');
  });

  test('SARIF: every result has a rule, a level and a region that covers the mistake', async () => {
    const log = JSON.parse((await call(['check', 'bad.pipe', '--format', 'sarif'], { files })).out);
    const [run] = log.runs;
    expect([log.version, run.columnKind]).toEqual(['2.1.0', 'utf16CodeUnits']);
    expect(run.tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual([...codes]);
    expect(run.results.length).toBeGreaterThan(0);
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
    }
    const [{ physicalLocation }] = run.results.find(
      (result: { ruleId: string }) => result.ruleId === 'key/unknown',
    ).locations;
    const { startLine, startColumn, endColumn } = physicalLocation.region;
    expect(bad.split('\n')[startLine - 1].slice(startColumn - 1, endColumn - 1)).toBe('memroy');
    expect(physicalLocation.artifactLocation.uri).toBe('bad.pipe');
  });
});

describe('a finding as text', () => {
  const anyText = fc.string({
    unit: fc.constantFrom('a', 'B', '=', ' ', '\t', '\n', '\r\n', '漢', '😀', 'é', '\u001b', '\u202e', '\ud800'),
    maxLength: 300,
  });

  test('the carets stand under the range, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, a, b) => {
        // Ranges of the engine never cut a character in two.
        const whole = (at: number) =>
          /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
        const [start, end] = [whole(a % (text.length + 1)), whole(b % (text.length + 1))].toSorted(
          (one, other) => one - other,
        );
        const shown = findingText(findingAt(start, end), sourceOf('a.pipe', text), plain, () => '');
        const [, , , line, under] = shown.split('\n');
        const from = under.indexOf('^');
        const carets = under.lastIndexOf('^') - from + 1;
        const marked = printable(text.slice(start, end).split(/\r\n|\n|\r/)[0]);
        let columns = 0;
        let seen = '';
        for (const character of line) {
          if (columns >= from && columns < from + carets) seen += character;
          columns += width(character);
        }
        expect(carets).toBeGreaterThan(0);
        if (marked !== '' && !line.includes('…') && !/\p{M}|\r/u.test(text))
          expect(seen.trimEnd()).toBe(marked.trimEnd());
      }),
      { numRuns: 2000 },
    );
  });

  test('no control character of the file or the message reaches the terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, message) => {
        const shown = findingText(findingAt(0, text.length, message), sourceOf(message, text), plain, () => message);
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test('a line of a megabyte is cut around the range', () => {
    const text = 'x'.repeat(1_000_000);
    for (const line of findingText(findingAt(500_000, 500_010), sourceOf('a.pipe', text), plain, () => '').split('\n'))
      expect(line.length).toBeLessThan(200);
  });
});

test('GitHub lines read back to the same message, file and title', () => {
  const decode = (text: string) =>
    text
      .replaceAll('%2C', ',')
      .replaceAll('%3A', ':')
      .replaceAll('%0A', '\n')
      .replaceAll('%0D', '\r')
      .replaceAll('%25', '%');
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (message, path) => {
      const file = {
        source: sourceOf(path, 'device a {}\n'),
        uri: 'file:///a.pipe',
        findings: [findingAt(0, 6, message)],
      };
      const match = /^::error file=([^,]*),line=1,endLine=1,col=1,endColumn=7,title=([^,:]*)::([^\r\n]*)\n$/.exec(
        githubLines(file),
      );
      // Line breaks of a path are escaped, other controls are shown as signs; of a message both are.
      const signs = path.split(/([\r\n])/).map((part) => (/[\r\n]/.test(part) ? part : printable(part)));
      expect(match?.slice(1).map(decode)).toEqual([signs.join(''), 'key/unknown', printable(message)]);
    }),
  );
});

test('a range over several lines has no columns: GitHub refuses them', () => {
  const lines = (start: number, end: number) =>
    githubLines({ source: sourceOf('a.pipe', 'ab\ncd\n'), uri: 'file:///a.pipe', findings: [findingAt(start, end)] });
  expect(lines(1, 4)).toBe('::error file=a.pipe,line=1,endLine=2,title=key/unknown::Something.\n');
  expect(lines(3, 5)).toBe('::error file=a.pipe,line=2,endLine=2,col=1,endColumn=3,title=key/unknown::Something.\n');
});

describe('quick fixes', () => {
  const shared = good.replace('stages       = balance(4)', 'stages       = balance(4)\n  stges = 3');
  interface Listed {
    readonly files: readonly {
      readonly fixed?: readonly string[];
      readonly findings: readonly {
        readonly code: string;
        readonly fixes?: readonly {
          readonly title: string;
          readonly preferred: boolean;
          readonly edits: readonly { readonly range: { readonly start: object }; readonly text: string }[];
        }[];
      }[];
    }[];
  }
  const json = async (args: readonly string[], text: string) => {
    const { out, files: after } = await call(['check', '--format', 'json', ...args, 'bad.pipe'], {
      files: { 'bad.pipe': text },
    });
    return { answer: (JSON.parse(out) as Listed).files[0], after: after['bad.pipe'] };
  };

  test('are listed below their finding, and only when they are asked for', async () => {
    const { out } = await call(['check', '--fixes', 'bad.pipe'], { files });
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.includes('error[key/unknown]'));
    expect(lines[at + 5]).toMatch(/^ += fix: Change to "memory": runs, iteration /);
    expect((await call(['check', 'bad.pipe'], { files })).out).not.toContain('fix:');
  });

  test('are data in json, with edits that give the good file', async () => {
    const { answer } = await json(['--fixes'], bad);
    const [fix] = answer.findings.find(({ code }) => code === 'key/unknown')?.fixes ?? [];
    expect(fix.preferred).toBe(true);
    const line = bad.split('\n').findIndex((text) => text.includes('memroy'));
    const character = bad.split('\n')[line].indexOf('memroy');
    expect(fix.edits).toEqual([
      { range: { start: { line, character }, end: { line, character: character + 6 } }, text: 'memory' },
    ]);
    expect((await json([], bad)).answer.findings.every((found) => !('fixes' in found))).toBe(true);
  });

  test('are made by --fix if they have no alternative, and said', async () => {
    const { status, out, files: after } = await call(['check', '--fix', 'bad.pipe'], { files: { 'bad.pipe': bad } });
    expect(after['bad.pipe']).toBe(good);
    expect(out).toContain('bad.pipe: fixed: Change to "memory": runs');
    expect(out).not.toContain('key/unknown');
    expect(status).toBe(0);
    expect((await json(['--fix'], good)).after).toBe(good);
    expect((await json(['--fix'], bad.replaceAll('\n', '\r\n'))).after).toBe(good.replaceAll('\n', '\r\n'));
  });

  test.each([['--fix'], ['--fix=key/unknown']])('%s leaves a value that the file says', async (option) => {
    const twice = good.replace('microbatches = 8', 'microbatches = 8\n  gbs = 16');
    expect(twice).not.toBe(good);
    expect((await json([option], twice)).after).toBe(twice);
  });

  test('of one code are made by --fix=CODE, each finding once', async () => {
    const { answer, after } = await json(['--fix=schedule/bubble'], good);
    expect(answer.fixed).toHaveLength(1);
    expect(after).not.toBe(good);
    const both = await json(['--fix=key/unknown'], shared.replace('memory', 'memroy'));
    expect(both.answer.fixed).toHaveLength(2);
    expect(both.answer.findings.filter(({ code }) => code === 'key/unknown')).toEqual([]);
  });

  test('need a known code and a file', async () => {
    const { status, err } = await call(['check', '--fix=key/unkown', 'bad.pipe'], { files });
    expect([status, err.includes('Did you mean "key/unknown"?')]).toEqual([2, true]);
    expect((await call(['check', '--fix', '-'], { files: { '-': bad } })).err).toContain('standard input');
    expect((await call(['check', '--fix', 'bad.pipe', 'good.pipe'], { files })).status).toBe(0);
    expect((await call(['check', '--help'])).out).toContain('--fix[=CODE]');
  });
});
