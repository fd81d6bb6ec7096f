import { describe, expect, test } from 'vitest';
import { collectives } from '../../../engine/exchange/collectives.ts';
import { exchangePresets } from '../../../engine/exchange/presets.ts';
import { engines } from '../../../engine/engines/registry.ts';
import { codes } from '../../../engine/findings/catalogue.ts';
import { standardNames } from '../../../engine/language/exported.ts';
import { figures } from '../../../engine/language/figures.ts';
import { functions } from '../../../engine/language/functions.ts';
import { blocks } from '../../../engine/language/schema.ts';
import { units } from '../../../engine/language/units.ts';
import { standardFiles, standardText } from '../../../engine/std/index.ts';
import { call } from './harness.ts';

const untidy = '// kept\ndevice   v100 {memory=16GiB}   // and this\n';

describe('format', () => {
  test('prints to standard output and leaves the file alone', async () => {
    const { status, out, files } = await call(['format', 'a.pipe'], { files: { 'a.pipe': untidy } });
    expect(status).toBe(0);
    expect(out).toContain('device v100 { memory = 16GiB }');
    expect(out).toContain('// kept');
    expect(out).toContain('// and this');
    expect(files['a.pipe']).toBe(untidy);
  });

  test('--check names what is laid out otherwise; --write mends it; then --check is content', async () => {
    const before = await call(['format', '--check', 'a.pipe'], { files: { 'a.pipe': untidy } });
    expect([before.status, before.out]).toEqual([1, 'a.pipe\n']);
    const written = await call(['format', '--write', 'a.pipe'], { files: { 'a.pipe': untidy } });
    expect([written.status, written.out]).toEqual([0, '']);
    expect((await call(['format', '--check', 'a.pipe'], { files: written.files })).status).toBe(0);
  });

  test('a file with a syntax error is refused, and its text stays', async () => {
    const broken = 'device v100 { memory = }\n';
    const { status, out, err, files } = await call(['format', '--write', 'a.pipe'], { files: { 'a.pipe': broken } });
    expect([status, out, files['a.pipe']]).toEqual([1, '', broken]);
    expect(err).toMatch(/^a\.pipe:1:\d+: .*Not formatted\.\n$/);
  });
});

describe('explain', () => {
  test('prints the text of a built-in schedule, or the page of one that has no text', async () => {
    expect((await call(['explain', 'zb_h1'])).out).toBe(standardText('std:schedules/zb_h1'));
    expect((await call(['explain', 'pipeswitch'])).out).toMatch(/^# pipeswitch\n/);
  });
  test('prints what each rule of gradient exchange and each collective is, and takes', async () => {
    for (const { name, doc } of [...exchangePresets, ...collectives]) {
      const { status, out } = await call(['explain', name]);
      expect([status, out.split('\n')[0]]).toEqual([0, `# ${name}`]);
      expect(out).toContain(`\n${doc}\n`);
    }
    expect((await call(['explain', 'ddp'])).out).toContain('`sync = ddp`');
    expect((await call(['explain', 'overlap'])).out).toContain(
      '- `barrier`: the next iteration starts when all gradients',
    );
    expect((await call(['explain', 'p3'])).out).not.toContain('Default: true');
    expect((await call(['explain', 'ps'])).out).toContain('- `servers`: number of servers. Default: as many as ranks');
    expect((await call(['explain', 'dpp'])).err).toContain('Did you mean "ddp"?');
  });
  test('of a name that others begin with, those come before names that differ in a letter', async () => {
    const { out } = await call(['explain', 'a100']);
    expect(out).toMatch(/^# a100\n\n## In the standard library\n\n- `a100_/u);
    expect(out).toContain('- `a100_80` (device of std:hardware)');
    expect(out).not.toContain('p100');
    expect((await call(['explain', 'dgx'])).err).toMatch(/Did you mean "dgx_\w+", .* or "dgx_\w+"\?/u);
    expect((await call(['explain', 'h10'])).err).toContain('Did you mean "h100"?');
  });

  test('every key, function, figure and name of the standard library is explained', async () => {
    const keys = Object.values(blocks).flatMap((block) => [block.name, ...block.keys.map(({ name }) => name)]);
    const names = [
      ...keys,
      ...functions.map(({ name }) => name),
      ...figures.map(({ name }) => name),
      ...units.map(({ name }) => name),
      ...standardNames().map(({ name }) => name),
      ...standardFiles.keys(),
      ...engines.map(({ name }) => name),
      ...['import', 'param', 'let', 'selective', 'distributed', 'hidden', 'bf16'],
    ];
    for (const name of new Set(names)) {
      const { status, out } = await call(['explain', name]);
      expect([name, status, out.length > 20]).toEqual([name, 0, true]);
    }
  });
  test('a name with several meanings has them all, the key of a pipeline first', async () => {
    const { out } = await call(['explain', 'tensor']);
    expect(out).toMatch(/^# tensor\n\n## Key of a pipeline\n\n`tensor = 8`\n\nTensor-parallel ranks/);
    expect(out).not.toContain('Values to try');
    expect((await call(['explain', 'overlap'])).out).toContain('`overlap(tensor) = 60%`');
    expect((await call(['explain', 'h100'])).out).toContain('import { h100 } from "std:hardware"');
    expect((await call(['explain', 'zero1'])).out).toContain('the optimizer state');
    expect((await call(['explain', 'tensro'])).err).toContain('Did you mean "tensor"?');
  });
  test('the language fits on one page, whose file has no mistake', async () => {
    const { out } = await call(['explain', 'language']);
    expect(out.length).toBeLessThan(6000);
    const [, file = ''] = /```pipe\n([^]*?)```/.exec(out) ?? [];
    const { status, err } = await call(['check', 'a.pipe'], { files: { 'a.pipe': file } });
    expect([status, err]).toEqual([0, expect.not.stringContaining('error')]);
    for (const { keys } of Object.values(blocks)) for (const { name } of keys) expect(out).toContain(name);
    expect((await call(['--help'])).out).toContain('pipewright explain language');
  });
  test.each([...codes])('%s shows its page', async (code) => {
    const { status, out } = await call(['explain', code]);
    expect(status).toBe(0);
    expect(out.startsWith(`# ${code}\n`)).toBe(true);
    expect(out).toContain('## How to fix it');
  });
});
