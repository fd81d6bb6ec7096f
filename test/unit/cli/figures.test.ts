import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { call, good } from './harness.ts';

const files = { 'a.pipe': good };

it('writes a figure to standard output or to a file', async () => {
  const shown = await call(['simulate', 'a.pipe', '--format', 'svg'], { files });
  expect(shown.status).toBe(0);
  expect(shown.out).toMatch(/^<\?xml version="1.0"[^]*<\/svg>\n$/);
  const written = await call(['simulate', 'a.pipe', '--format', 'svg', '--output', 'a.svg'], { files });
  expect(written.out).toBe('');
  expect(written.files['a.svg']).toBe(shown.out);
});

it('exports what it simulates', async () => {
  for (const format of ['svg', 'trace', 'png', 'film']) {
    const simulated = await call(['simulate', 'a.pipe', '--format', format], { files });
    const exported = await call(['export', 'a.pipe', '--to', format], { files });
    expect(exported.out).toBe(simulated.out);
    expect(simulated.out).not.toBe('');
  }
});

it('writes a film of as many seconds as the call says', async () => {
  const lasts = async (...options: readonly string[]) =>
    /animation:opens ([\d.]+)s/.exec(
      (await call(['simulate', 'a.pipe', '--format', 'film', ...options], { files })).out,
    )?.[1];
  // With the pause of two seconds.
  expect(await lasts()).toBe('10');
  expect(await lasts('--seconds', '2.5')).toBe('4.5');
});

it('draws PNG at each scale, the same each time', async () => {
  const sizes: number[] = [];
  for (const scale of ['1', '2', '3', '4']) {
    const args = ['simulate', 'a.pipe', '--format', 'png', '--width', '3.4in', '--scale', scale];
    const first = await call(args, { files });
    expect((await call(args, { files })).out).toBe(first.out);
    const bytes = Buffer.from(first.out, 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    sizes.push(bytes.readUInt32BE(16));
  }
  // 3.4 in of 96 px.
  expect(sizes).toEqual([326, 653, 979, 1306].map((width) => expect.closeTo(width, -0.5) as number));
});

it('says which characters of the caption a PNG cannot draw, and draws the rest', async () => {
  const made = (name: string, format: string) =>
    call(['simulate', name, '--format', format], { files: { [name]: good } });
  const png = await made('計画é.pipe', 'png');
  expect(png.status).toBe(0);
  expect(Buffer.from(png.out, 'base64').subarray(1, 4).toString()).toBe('PNG');
  const words = 'The font of a PNG has no 計 画: boxes are drawn instead. Export SVG to use your fonts.';
  expect(png.err).toContain(words);
  expect((await made('計画é.pipe', 'svg')).err).not.toContain('font');
  expect((await made('pläne.pipe', 'png')).err).not.toContain('font');
});

it('names the version of the package in the figure', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  const { out } = await call(['simulate', 'a.pipe', '--format', 'svg'], { files });
  expect(out).toContain(`of a.pipe, Pipewright ${version}.`);
});

it.each([
  [['--format', 'svg', '--width', '80'], '--width of svg must be 3.4in or 7in, not "80".'],
  [['--format', 'svg', '--scale', '2'], '--scale is for png'],
  [['--format', 'film', '--memory'], '--memory is for svg and png, not for film.'],
  [['--format', 'svg', '--seconds', '4'], '--seconds is for film, not for svg.'],
  [['--format', 'film', '--seconds', '0'], '--seconds must be a number from 1 to 600, not "0".'],
  [['--format', 'film', '--seconds', 'x'], '--seconds must be a number from 1 to 600, not "x".'],
  [['--format', 'trace', '--memory'], '--memory is for svg and png, not for trace.'],
  [['--format', 'json', '--memory'], '--memory is for --format svg'],
  [['--output', 'x'], '--output is for --format svg'],
])('refuses %j', async (args, problem) => {
  const { status, err, out } = await call(['simulate', 'a.pipe', ...args], { files });
  expect(status).toBe(2);
  expect(err).toContain(problem);
  expect(out).toBe('');
});

it('puts no bytes of a picture on a terminal', async () => {
  const { status, err } = await call(['simulate', 'a.pipe', '--format', 'png'], { files, terminal: true });
  expect(status).toBe(2);
  expect(err).toContain('name a file with --output');
});

it('asks which pipeline, and writes nothing for one that does not run', async () => {
  const two = `${good}${good.slice(good.indexOf('pipeline train')).replace('pipeline train', 'pipeline wide')}`;
  const asked = await call(['simulate', 'b.pipe', '--format', 'svg'], { files: { 'b.pipe': two } });
  expect(asked.err).toContain('choose one with --pipeline');
  const chosen = await call(['simulate', 'b.pipe', '--format', 'svg', '--pipeline', 'wide'], {
    files: { 'b.pipe': two },
  });
  expect(chosen.out).toContain('<title>wide: 1f1b</title>');
  const broken = await call(['simulate', 'c.pipe', '--format', 'svg', '--output', 'c.svg'], {
    files: { 'c.pipe': good.replace('= 1f1b', '= 1f2b') },
  });
  expect(broken.status).toBe(1);
  expect(broken.err).toContain('Nothing was simulated');
  expect(broken.files['c.svg']).toBeUndefined();
});
