/** What the terminal reads for a `.pipe` file, and what it shows of it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeIo } from '../../../cli/nodeIo.ts';
import { projectOf } from '../../../cli/project.ts';
import { run } from '../../../cli/run.ts';
import { call, good } from './harness.ts';

const model = /^model toy \{[^}]*\}\n\}\n/;
const device = /^device.*\n/m;

/** Files that name `secret`, one for each key that takes a file. */
const users: Readonly<Record<string, string>> = {
  import: `import "secret"\n${good.replace(device, '')}`,
  'import by name': good.replace(device, 'import { v100 } from "secret"\n'),
  system: good.replace(device, 'device v100 { from = system("secret") }\n'),
  profile: good.replace(model, 'model toy { from = profile("secret") }\n'),
  huggingface: good.replace(model, 'model toy { from = huggingface("secret")  sequence = 32 }\n'),
  table: good.replace('schedule     = 1f1b', 'schedule = 1f1b  data = 2  sync = overlap  collective = table("secret")'),
};

/** What may stand behind a name: an environment, a key, JSON, YAML, and files that are nearly what is expected. */
const secrets: readonly string[] = [
  'API_TOKEN=hunter2\nPIN=86753090\n',
  '-----BEGIN hunter2-----\nhunter286753090\n',
  '{"token": "hunter2", "pin": 86753090}',
  '{"model_type": "hunter2", "hidden_size": "hunter2"}',
  '{"model_type": "llama", "hidden_size": 86753090, "torch_dtype": "hunter2"}',
  '{"matrix": {"hunter2": 86753090}, "mem1": "hunter2", "networks": [86753090]}',
  'gpu:\n  mem_bw: hunter2\n  mem_capacity: *hunter2\nnode: !hunter2 86753090\n',
  'bytes seconds\n1024 86753090\n2048 hunter2\n',
  '1 86753090\n2 1\n',
  'hunter2 -- hunter2 -- forward_compute_time=hunter2, backward_compute_time=86753090\n',
  'HUNTER\n86753090\nhunter2 -1 hunter2 NONE\n',
  'device v100 { memory = hunter2  "hunter2" = 86753090 }\nhunter2 = 86753090\n',
];

const commands: readonly (readonly string[])[] = [
  ...['text', 'json', 'sarif', 'github'].map((format) => ['check', '--fixes', '--format', format]),
  ['check', '--fix'],
  ...['text', 'json', 'csv', 'trace', 'svg', 'html', 'markdown'].map((format) => ['simulate', '--format', format]),
  ...['text', 'json', 'csv'].map((format) => ['compare', '--schedules', '1f1b,gpipe', '--format', format]),
  ...['text', 'json', 'csv'].map((format) => ['plan', '--over', 'microbatches=4,8', '--format', format]),
  ['search'],
  ['export', '--to', 'torch-csv'],
  ['format'],
];

describe.each(Object.entries(users))('a file that is no file for %s', (_, text) => {
  test.each(commands.map((args, at) => [args.join(' '), args, at] as const))(
    'is not quoted by %s',
    async (__, args, at) => {
      const told: string[] = [];
      // A third for each command: all of them for each format of a command, and for each key.
      for (const secret of secrets.filter((___, index) => (index + at) % 3 === 0)) {
        const { out, err, files } = await call([...args, 'a.pipe'], { files: { 'a.pipe': text, secret } });
        expect(out + err).not.toBe('');
        if (/hunter2|86753090/i.test(out + err + files['a.pipe'])) told.push(out + err);
      }
      expect(told).toEqual([]);
    },
  );
  test('is found where it is wrong', async () => {
    const { out, status } = await call(['check', 'a.pipe'], { files: { 'a.pipe': text, secret: secrets[0] } });
    expect(status).toBe(1);
    expect(out).toMatch(/"secret" cannot be read: .*line \d+, column \d+: /);
  });
});

describe('a project', () => {
  let top = '';
  const at = (...names: readonly string[]): string => join(top, ...names);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const hardware = 'device v100 { memory = 16GiB }\n';
  const using = (path: string): string => good.replace(device, `import { v100 } from "${path}"\n`);
  beforeAll(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'pipewright-')));
    for (const folder of ['repository/.git', 'repository/package/jobs', 'plain/jobs'])
      mkdirSync(at(folder), { recursive: true });
    write('repository/package/package.json', '{}');
    for (const folder of ['', 'repository/', 'repository/package/', 'plain/'])
      write(`${folder}hardware.pipe`, hardware);
    write('repository/package/jobs/near.pipe', using('../hardware.pipe'));
    write('repository/package/jobs/far.pipe', using('../../hardware.pipe'));
    write('repository/package/jobs/out.pipe', using('../../../hardware.pipe'));
    write('repository/package/jobs/linked.pipe', using('link.pipe'));
    write('plain/jobs/out.pipe', using('../hardware.pipe'));
    symlinkSync(at('hardware.pipe'), at('repository/package/jobs/link.pipe'));
    symlinkSync(at('repository/hardware.pipe'), at('repository/package/jobs/within.pipe'));
  });
  afterAll(() => rmSync(top, { recursive: true }));

  const disk = nodeIo();
  /** Checks a file from a folder with the real disk; answers its codes, or what standard error says. */
  async function codes(cwd: string, ...args: readonly string[]): Promise<readonly string[]> {
    let [out, err] = ['', ''];
    const io = {
      ...disk,
      cwd: at(cwd),
      readText: (path: string) => disk.readText(resolve(at(cwd), path)),
      projectOf: (path: string) => projectOf(path, at(cwd)),
      out: async (text: string | Uint8Array) => void (out += text.toString()),
      err: async (text: string) => void (err += text),
    };
    await run(['check', '--format', 'github', ...args], io);
    return err === '' ? [...out.matchAll(/title=(import[^:]*)/g)].map(([, code]) => code) : [err];
  }

  test('is the repository around a file', async () => {
    expect(projectOf(at('repository/package/jobs/near.pipe'), top)).toBe(at('repository'));
    const jobs = 'repository/package/jobs';
    expect(await codes(jobs, 'near.pipe')).toEqual([]);
    expect(await codes(jobs, 'far.pipe')).toEqual([]);
    expect(await codes(jobs, 'out.pipe')).toEqual(['import/outside-workspace']);
    expect(await codes('', `${jobs}/out.pipe`)).toEqual(['import/outside-workspace']);
  });

  test('without a repository it is the package, then the working folder, then the folder of the file', async () => {
    write('loose/a/b/x.pipe', using('../hardware.pipe'));
    write('loose/a/hardware.pipe', hardware);
    const file = at('loose/a/b/x.pipe');
    expect(projectOf(file, at('repository'))).toBe(at('loose/a/b'));
    expect(projectOf(file, at('loose'))).toBe(at('loose'));
    write('loose/a/pyproject.toml', '');
    expect(projectOf(file, at('loose'))).toBe(at('loose/a'));
    expect(await codes('plain/jobs', 'out.pipe')).toEqual(['import/outside-workspace']);
    expect(await codes('plain', 'jobs/out.pipe')).toEqual([]);
  });

  test('ends where a link leads out of it, for the file itself too', async () => {
    const jobs = 'repository/package/jobs';
    expect(await codes(jobs, 'linked.pipe')).toEqual(['import/outside-workspace']);
    expect(await codes(jobs, 'within.pipe')).toEqual([]);
    expect((await codes(jobs, 'link.pipe'))[0]).toContain(
      'link.pipe is a link that leads out of its project; set --root',
    );
    expect(await codes(jobs, '--root', at(), 'link.pipe')).toEqual([]);
  });

  test('is what --root says', async () => {
    const jobs = 'repository/package/jobs';
    expect(await codes(jobs, '--root', '../../..', 'out.pipe')).toEqual([]);
    expect(await codes(jobs, '--root', '.', 'near.pipe')).toEqual(['import/outside-workspace']);
  });

  test('says what it does not read, and what to do', async () => {
    const { out } = await call(['check', 'a.pipe'], { files: { 'a.pipe': using('../hardware.pipe') } });
    expect(out).toContain(
      '"../hardware.pipe" is outside the project, so it is not read. Move the file into the project, or set --root to a folder that contains both.',
    );
  });
});
