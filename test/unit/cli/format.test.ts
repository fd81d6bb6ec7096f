import { describe, expect, test } from 'vitest';
import { collectives } from '../../../engine/exchange/collectives.ts';
import { exchangePresets } from '../../../engine/exchange/presets.ts';
import { codes } from '../../../engine/findings/catalogue.ts';
import { standardText } from '../../../engine/std/index.ts';
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
      expect([status, out.split('\n').slice(0, 3)]).toEqual([0, [`# ${name}`, '', doc]]);
    }
    expect((await call(['explain', 'ddp'])).out).toContain('`sync = ddp`');
    expect((await call(['explain', 'overlap'])).out).toContain(
      '- `barrier`: the next iteration starts when all gradients',
    );
    expect((await call(['explain', 'p3'])).out).not.toContain('Default: true');
    expect((await call(['explain', 'ps'])).out).toContain('- `servers`: number of servers. Default: as many as ranks');
    expect((await call(['explain', 'dpp'])).err).toContain('Did you mean "ddp"?');
  });
  test.each([...codes])('%s shows its page', async (code) => {
    const { status, out } = await call(['explain', code]);
    expect(status).toBe(0);
    expect(out.startsWith(`# ${code}\n`)).toBe(true);
    expect(out).toContain('## How to fix it');
  });
});
