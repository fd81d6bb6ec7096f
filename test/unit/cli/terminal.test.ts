import { describe, expect, test } from 'vitest';
import { call, good } from './harness.ts';

const escape = '\u001b';
/** Clears the screen, writes to the right and then to the left, and begins lines that GitHub Actions would obey. */
const name = `::error::a##vso[task.complete]##[error]${escape}[2J\u009b1m\u202e\n::warning::b\r\u200f::notice::c.pipe`;
const bad = `${good.replace('memory = 16GiB', 'memroy = 16GiB')}import "${escape}]0;x\u0007\u202e##vso[x]##[y].pipe"\n`;
const files = {
  [name]: bad,
  [`${name}x`]: good.replace('memory', '   memory'),
  [`${name}y`]: 'model {',
  ['a.pipe']: good,
  ['t.csv']: '0F0,\u001b[2J\n',
  ['profile.txt']:
    'node1 -- a\u202e##[b] -- forward_compute_time=1, backward_compute_time=2, activation_size=3, parameter_size=4\n',
  [`${name}.csv`]: '0F0,0X0\n',
};

/** What a terminal obeys, line breaks and tabs aside, and line breaks other than those between our lines. */
const obeyed = /[^\P{Cc}\n\r]|\r(?!\n)|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const calls: readonly (readonly string[])[] = [
  ['check', name],
  ['check', name, 'a.pipe'],
  ['check', 'a.pipe', `missing${name}`],
  ['check', '--format', 'json', name],
  ['check', '--format', 'sarif', name],
  ['simulate', name],
  ['simulate', name, '--format', 'json'],
  ['simulate', 'a.pipe', '--pipeline', name],
  ['simulate', 'a.pipe', '--set', name],
  ['simulate', 'a.pipe', '--width', name],
  ['compare', name],
  ['compare', name, 'a.pipe'],
  ['compare', name, 'a.pipe', '--format', 'json'],
  ['compare', name, 'a.pipe', '--format', 'csv'],
  ['compare', 'a.pipe', '--schedules', name],
  ['export', name, '--to', 'torch-csv'],
  ['export', name, '--to', name],
  ['import', name],
  ['import', 't.csv'],
  ['import', 'profile.txt'],
  ['import', `${name}.csv`],
  ['format', '--check', `${name}x`],
  ['format', '--check', `${name}y`],
  ['format', '--write', `missing${name}`],
  ['explain', name],
  ['check', `--${name}`],
  [name],
];

describe('names and texts of files reach the terminal without what it would obey', () => {
  test.each(calls.map((args, index) => [index, args[0].replaceAll(/\W/g, ''), args] as const))(
    'call %i: %s',
    async (_, __, args) => {
      const { out, err } = await call(args, { files, slow: 600, terminal: false });
      expect(out + err).not.toBe('');
      expect(out + err).not.toMatch(obeyed);
      // A line that begins so is a command to GitHub Actions, also behind spaces.
      expect(out + err).not.toMatch(/^\s*::/m);
      // These are commands of older runners and of Azure Pipelines anywhere on a line.
      expect(out + err).not.toMatch(/##(vso)?\[/i);
    },
  );

  test('the bar of a slow check too', async () => {
    const { err } = await call(['check', name], { files, slow: 600, terminal: true });
    expect(err).toContain('█');
    expect(err.replaceAll(`\r${escape}[K`, '')).not.toMatch(obeyed);
  });

  test('data holds the very name', async () => {
    const { out } = await call(['check', '--format', 'json', name], { files });
    expect(JSON.parse(out)).toMatchObject({ files: [{ file: name }] });
    const rows = await call(['compare', 'a.pipe', name, '--format', 'json'], { files });
    expect(JSON.parse(rows.out)).toMatchObject({ rows: [{ file: 'a.pipe' }, { file: name }] });
  });

  test('csv has one line a row, whatever the name', async () => {
    const { out } = await call(['compare', 'a.pipe', name, '--format', 'csv'], { files });
    expect(out.split('\r\n')).toHaveLength(4);
    expect(out.replaceAll('\r\n', '')).not.toMatch(obeyed);
  });

  test('for GitHub every finding is one line, whose parts are escaped as its workflow commands ask', async () => {
    const { out } = await call(['check', '--format', 'github', name], { files });
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect(line).not.toMatch(obeyed);
      expect(line).toMatch(/^::(?:error|warning|notice) file=[^:,]*,line=\d+,endLine=\d+,[^:]*title=[^:,]*::/);
      // The break in the name is kept as an escape, and the colons are no separators.
      expect(line).toContain('file=%3A%3Aerror%3A%3Aa');
      expect(line).toContain('%0A%3A%3Awarning%3A%3Ab%0D');
    }
  });
});
