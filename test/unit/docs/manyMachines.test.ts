/** What the page on many machines shows is what its commands write, and its job is one run in parts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { exampleText } from '../../support/example.ts';
import { call } from '../cli/harness.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/do/search-on-many-machines.md');
const blocks = (mark: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${mark}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block);
const [added] = [...textOf('docs/do/what-fits-on-my-cluster.md').matchAll(/^ *```pipe add\n([^]*?)^ *```$/gm)].map(
  ([, block]) => block,
);
const files = { 'train.pipe': `${exampleText('llama3-70b.pipe')}\n${added}` };
const [write, merge, take] = blocks('console').map((block) => block.trimEnd().split('\n'));
const wordsOf = (line: string): string[] => line.split(' ').slice(line.startsWith('$') ? 2 : 1);
const frontOf = (out: string) => (JSON.parse(out) as PlanAnswer).points.filter(({ front }) => front);

test('the job is the job that the call writes', async () => {
  const { status, err, files: after } = await call(wordsOf(write[0]), { files });
  expect(status).toBe(0);
  expect(err).toBe(`${write.slice(1).join('\n')}\n`);
  expect(after['plan.sh']).toBe(blocks('bash')[0]);
  for (const kind of ['slurm', 'ray', 'make'])
    expect(page).toContain(
      `| \`${kind}\` | \`${{ slurm: 'sbatch plan.sh', ray: 'python3 plan.py', make: 'make -j 8 -f plan.mk' }[kind]}\` |`,
    );
});

test('the parts of the job are one run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipewright-page-'));
  try {
    const lines = /^\$\{PIPEWRIGHT\S* (plan [^]*?) &$/m.exec(blocks('bash')[0])?.[1] ?? '';
    const words = lines.replaceAll('\\\n', '').replaceAll('"', '').trim().split(/\s+/);
    const part = (index: number): readonly string[] =>
      words.map((word) =>
        word
          .replace('$SLURM_ARRAY_TASK_ID', String(index))
          .replace('${SLURM_CPUS_PER_TASK:-4}', '1')
          .replace('--rows=rows', `--rows=${folder}`),
      );
    const merged = (...more: readonly string[]) =>
      call([...wordsOf(merge[0]).map((word) => (word === 'rows' ? folder : word)), ...more]);
    for (let index = 1; index <= 8; index += 1) {
      expect(await call(part(index), { files })).toMatchObject({ status: 0, err: '' });
      expect((await merged()).status).toBe(index < 8 ? 1 : 0);
    }
    const asked = ['plan', 'train.pipe', '--pipeline', 'interleaved', '--threads', '1', '--format', 'json'];
    const whole = await call(asked, { files });
    const all = await merged('--format', 'json');
    expect(frontOf(all.out)).toEqual(frontOf(whole.out));
    const { best, certificate, points } = JSON.parse(whole.out) as PlanAnswer;
    expect(JSON.parse(all.out)).toMatchObject({ best, certificate });
    // The row that the page writes is the row that the parts find.
    expect(wordsOf(take[0])).toContain(`${best}:${points.find(({ row }) => row === best)?.fingerprint}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
