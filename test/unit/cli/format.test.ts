import { describe, expect, test } from 'vitest';
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
  test.each([...codes])('%s shows its page', async (code) => {
    const { status, out } = await call(['explain', code]);
    expect(status).toBe(0);
    expect(out.startsWith(`# ${code}\n`)).toBe(true);
    expect(out).toContain('## How to fix it');
  });
});
