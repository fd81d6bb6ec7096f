/** Jobs that `plan --jobs` writes, run by the programs that read them: bash, make and Python. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shaped } from '../sweep/sweepCase.ts';
import { call, type Called } from './harness.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-jobs-'));
  // Takes the place of Pipewright, and writes down what it is asked: the number of words, then each.
  writeFileSync(join(folder, 'record.sh'), `printf '%s\\0' "$#" "$@" >> "$RECORD"\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const over = 'tensor = [1, 2, 4], pipeline = [2, 4]';
const job = (kind: string, file: string, ...args: readonly string[]): Promise<Called> =>
  call(['plan', '--jobs', kind, '--pipeline', 'train', '--over', over, ...args, '--', file], {
    files: { [file]: shaped },
  });

/** Runs a job in a folder of its own. What the commands of the job were asked, in order of their texts. */
function run(program: string, args: readonly string[], text: string, more: NodeJS.ProcessEnv = {}): string[][] {
  writeFileSync(join(folder, 'job'), text);
  const record = join(folder, 'record');
  const env = {
    ...process.env,
    ...more,
    RECORD: record,
    PIPEWRIGHT: `sh ${join(folder, 'record.sh')}`,
  };
  const before = readdirSync(folder);
  const { status, stderr } = spawnSync(program, [...args, 'job'], { cwd: folder, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  // No text of the call was a command.
  expect(readdirSync(folder).filter((name) => name !== 'record')).toEqual(before);
  const words = existsSync(record) ? readFileSync(record, 'utf8').split('\0') : [''];
  rmSync(record, { force: true });
  const calls: string[][] = [];
  for (let at = 0; at < words.length - 1; at += 1 + Number(words[at]))
    calls.push(words.slice(at + 1, at + 1 + Number(words[at])));
  return calls.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

interface Constants {
  readonly options: string[];
  readonly operands: string[];
  readonly merge: string[];
}

/** What lines of programs for Ray hold of the call, as Python reads them, once for all. */
function python(texts: readonly string[]): readonly Constants[] {
  const parts = texts.map((text) => {
    const lines = text.split('\n').filter((line) => /^(?:OPTIONS|OPERANDS|MERGE) = /.test(line));
    expect(lines).toHaveLength(3);
    return `${lines.join('\n')}\nfound.append({"options": OPTIONS, "operands": OPERANDS, "merge": MERGE})\n`;
  });
  const program = `import json\nfound = []\n${parts.join('')}print(json.dumps(found))\n`;
  const { stdout, stderr } = spawnSync('python3', ['-'], { input: program, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as readonly Constants[];
}

const hostile: readonly string[] = [
  'two words.pipe',
  `it's "quoted".pipe`,
  '$(touch hacked).pipe',
  '`touch hacked`.pipe',
  '; touch hacked #.pipe',
  '$(shell touch hacked) $@ $* $$ ${HOME} %.pipe',
  'a\ntouch hacked\n.pipe',
  '\n#SBATCH --wrap="touch hacked"\n',
  "a'\n\ttouch hacked",
  'back\\slash\\\n\\.pipe',
  'ends with a line feed\n',
  '"""\nimport os; os.system("touch hacked")\n"""',
  '-x --output=hacked.pipe',
  '*?[a]{b,c} ~ !! &&|| <>.pipe',
  '层 é 🙂\t\u0007.pipe',
];

describe('whatever a path is, it is one word of the job', () => {
  const asked = (file: string) => ({
    options: [
      '--over=tensor = [1, 2, 4], pipeline = [2, 4]',
      '--limit=mfu > 0%',
      '--pipeline=train',
      `--rows=${file}.d`,
      '--resume',
    ],
    merge: ['plan', '--merge', '--', `${file}.d`],
  });
  const write = async (kind: string, file: string): Promise<string> => {
    const { status, out, err } = await job(kind, file, '--parts', '2', '--limit', 'mfu > 0%', `--rows=${file}.d`);
    expect([status, err]).toEqual([0, '']);
    return out;
  };

  test.each(hostile)('of Slurm: %j', async (file) => {
    const text = await write('slurm', file);
    const found = run('bash', [], text, { SLURM_ARRAY_TASK_ID: '2', SLURM_CPUS_PER_TASK: '3' });
    expect(found).toEqual([['plan', ...asked(file).options, '--threads=3', '--shard=2/2', '--', file]]);
    // Directives are read until the first command.
    const head = (job: string): string => job.slice(0, job.indexOf('${PIPEWRIGHT'));
    expect(head(text)).toBe(head(await write('slurm', 'a.pipe')));
  });

  test.each(hostile)('of make: %j', async (file) => {
    const found = run('make', ['-j2', '-f'], await write('make', file));
    const part = (index: number) => ['plan', ...asked(file).options, '--threads=1', `--shard=${index}/2`, '--', file];
    expect(found).toEqual([asked(file).merge, part(1), part(2)]);
  });

  test('of Ray', async () => {
    const texts = await Promise.all(hostile.map((file) => write('ray', file)));
    expect(python(texts)).toEqual(
      hostile.map((file) => ({ ...asked(file), operands: [file], merge: asked(file).merge.slice(1) })),
    );
  });
});

describe('a job', () => {
  test('asks each part what the call asks', async () => {
    const more = ['--minimise', 'peak_memory', '--time', '5min', '--engine', 'megatron', '--threads', '2'];
    const { out } = await job('make', 'a.pipe', ...more, '--limit', 'mfu > 1%', '--limit', 'bubble < 90%');
    // Six rows have six parts at most.
    expect(run('make', ['-f'], out)[1]).toEqual([
      'plan',
      `--over=${over}`,
      '--limit=mfu > 1%',
      '--limit=bubble < 90%',
      '--minimise=peak_memory',
      '--pipeline=train',
      '--time=5min',
      '--engine=megatron',
      '--rows=rows',
      '--resume',
      '--threads=2',
      '--shard=1/6',
      '--',
      'a.pipe',
    ]);
  });

  test('is written to a file, with the words that start it', async () => {
    const { out, err, files } = await job('slurm', 'a.pipe', '--output', "my job's.sh", '--rows', 'all rows');
    expect(out).toBe('');
    expect(files["my job's.sh"]).toContain('#SBATCH --array=1-6\n');
    expect(err).toBe(
      `Start it here: sbatch 'my job'\\''s.sh'\nShow the front at any time: pipewright plan --merge 'all rows'\n`,
    );
  });

  test.each([
    [['--shard', '1/2'], '--shard has no effect with --jobs.'],
    [['--write', 'best'], '--write has no effect with --jobs.'],
    [['--format', 'json'], '--format has no effect with --jobs.'],
    [['--parts', '0'], '--parts takes a whole number from 1 to 100,000, not "0".'],
    [['--parts', '100001'], '--parts takes a whole number from 1 to 100,000, not "100001".'],
    [['--threads', '0'], '--threads takes a whole number'],
    [['--limit', 'peak < 1'], 'cannot be searched'],
  ])('%s is refused', async (args, problem) => {
    const { status, out, err } = await job('slurm', 'a.pipe', ...args);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(problem);
  });

  test('reads a file, and --parts is of a job', async () => {
    expect((await job('slurm', '-')).err).toContain('A job cannot read standard input. Name a file.');
    const { err } = await call(['plan', 'a.pipe', '--over', over, '--pipeline', 'train', '--parts', '2'], {
      files: { 'a.pipe': shaped },
    });
    expect(err).toContain('--parts has no effect without --jobs.');
    expect((await job('slrm', 'a.pipe')).err).toContain('Did you mean "slurm"?');
  });
});
