import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../cli/commands/index.ts';
import { readOverrides } from '../../../cli/overrides.ts';
import { call, good, repository } from './harness.ts';

describe('a wrong call', () => {
  test.each([
    [['chekc', 'a.pipe'], 'Unknown command "chekc". Did you mean "check"?'],
    [['check', '--fromat', 'json', 'a.pipe'], 'Unknown option "--fromat". Did you mean "--format"?'],
    [['simulate', '--pipline=x', 'a.pipe'], 'Unknown option "--pipline". Did you mean "--pipeline"?'],
    [
      ['check', '--format', 'jsn', 'a.pipe'],
      '--format cannot be "jsn"; it is one of text, json, sarif, github. Did you mean "json"?',
    ],
    [['check', '--format'], '--format needs a value'],
    [['check', 'a.pipe', '--json'], 'Unknown option "--json". Did you mean "--format json"?'],
    [
      ['export', 'a.pipe', '--to', 'torch-csv', '--output', './a.pipe'],
      '--output ./a.pipe would replace a file that is read. Name another file.',
    ],
    [['plan', 'a.pipe', '--over', 'pipeline = [4]', '--output', 'a.pipe'], 'would replace a file that is read'],
    [['check'], 'Name at least one file.'],
    [['check', 'missing.pipe'], 'missing.pipe cannot be read: there is no such file.'],
    [['simulate', 'a.pipe', 'a.pipe'], 'It needs one file.'],
    [['simulate', 'a.pipe', '--width', 'wide'], '--width must be a whole number'],
    [['simulate', 'a.pipe', '--pipeline', 'tarin'], 'has no pipeline "tarin"; it has train. Did you mean "train"?'],
    [['simulate', 'a.pipe', '--set', 'microbatches'], '--set takes NAME=VALUE'],
    [['simulate', 'a.pipe', '--set', 'microbatches=8GiBs'], 'Unknown unit "GiBs"'],
    [['simulate', 'a.pipe', '--set', 'microbatchs=8'], 'microbatchs'],
    [['simulate', 'a.pipe', '--set', 'microbatches=65'], 'microbatches'],
    [
      ['simulate', 'a.pipe', '--set', 'microbatches=8GiB'],
      '"microbatches" is a plain number, now 8, and --set gives bytes.',
    ],
    [['simulate', 'library.pipe'], 'declares no pipeline'],
    [['format', '--check', '--write', 'a.pipe'], 'cannot be combined'],
    [['format', '--write', '-'], '--write cannot write to standard input.'],
    [['explain', 'memory/out-of-memry'], 'Did you mean "memory/out-of-memory"?'],
    [['explain'], 'It needs one name'],
    [['check', 'a.pipe', '--set', 'microbatches=65'], 'microbatches'],
    [['check', 'a.pipe', '--set', 'microbatches'], '--set takes NAME=VALUE'],
    [['lsp', 'a.pipe'], 'It takes no files'],
    [['--verison'], 'Unknown option "--verison". Did you mean "--version"?'],
  ])('%j exits with 2 and says why', async (args, sentence) => {
    const files = { 'a.pipe': good, 'library.pipe': 'device v100 { memory = 16GiB }\n' };
    const { status, out, err } = await call(args, { files });
    expect(err).toContain(sentence);
    expect(status).toBe(2);
    expect(out).toBe('');
  });

  test('nothing at all shows the help on standard error', async () => {
    const { status, out, err } = await call([]);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain('Usage: pipewright');
  });
});

describe('help', () => {
  test.each(commands.map(({ spec }) => spec))('of $name names every option', async (spec) => {
    for (const args of [
      [spec.name, '--help'],
      [spec.name, '-h'],
      ['help', spec.name],
      ['--help', spec.name],
    ]) {
      const { status, out } = await call(args);
      expect(status).toBe(0);
      expect(out).toContain(`Usage: pipewright ${spec.name}`);
      for (const option of spec.options) expect(out).toContain(`--${option.name}`);
    }
  });

  test('of all names every command', async () => {
    const { out } = await call(['--help']);
    for (const { spec } of commands) expect(out).toContain(`  ${spec.name}`);
  });

  test('the version is that of the package', async () => {
    const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect((await call(['--version'])).out).toBe(`${manifest.version}\n`);
  });
});

test('values of --set are read with their units', () => {
  const settings = ['a=4', 'b=2.5ms', 'c=16 GiB', 'd=40%', 'e=-1e3us'];
  const read = readOverrides(settings);
  expect(read).toMatchObject({ values: { a: 4, b: 2.5 * 1e-3, c: 16 * 2 ** 30, d: 40 * 0.01, e: -1e3 * 1e-6 } });
});
