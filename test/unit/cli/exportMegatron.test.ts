/** What a shell makes of the script that `export --to megatron` writes. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exampleText } from '../../support/example.ts';
import { call } from './harness.ts';

/** A `torchrun` that prints its arguments, one a line. */
const torchrun = '#!/bin/sh\nprintf "%s\\n" "$@"\n';

test('a shell passes the arguments on, and those behind the script', async () => {
  const files = { 'a.pipe': exampleText('llama3-70b.pipe') };
  const { status, out, err } = await call(['export', 'a.pipe', '--to', 'megatron', '--pipeline', 'interleaved'], {
    files,
  });
  expect(status).toBe(0);
  expect(err).toContain('\na.pipe: Times, links and the memory of devices have no arguments.\n');
  const folder = mkdtempSync(path.join(tmpdir(), 'pipewright-megatron-'));
  try {
    writeFileSync(path.join(folder, 'torchrun'), torchrun);
    chmodSync(path.join(folder, 'torchrun'), 0o755);
    const { stdout, stderr } = spawnSync('bash', ['-s', '--', '--data-path', 'two words'], {
      input: out,
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH']}`, MEGATRON: '/opt/mega tron' },
    });
    expect(stderr).toBe('');
    const given = stdout.trimEnd().split('\n');
    expect(given.slice(0, 11)).toEqual(
      [
        '--nnodes 8 --nproc-per-node 8 --node-rank 0 --master-addr localhost --master-port 29500'.split(' '),
        '/opt/mega tron/pretrain_gpt.py',
      ].flat(),
    );
    expect(given[given.indexOf('--pipeline-model-parallel-layout') + 1]).toMatch(/^Et\*4\|/);
    expect(given.slice(-2)).toEqual(['--data-path', 'two words']);
    expect(given.filter((word) => /['"$\\]/.test(word))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what Megatron-LM does not run is one line on standard error, and status 1', async () => {
  const files = { 'a.pipe': exampleText('lora-ethernet.pipe') };
  expect(await call(['export', 'a.pipe', '--to', 'megatron', '--pipeline', 'lora'], { files })).toMatchObject({
    status: 1,
    out: '',
    err: 'a.pipe: pipeline "lora" cannot be written: Megatron trains all weights, and has no adapters; Megatron Bridge has them.\n',
  });
});

test('a schedule alone has no model to train', async () => {
  const files = { 'a.pipe': 'schedule s { stages = devices\n row(d) = F[0], B[0] }\n' };
  const asked = ['export', 'a.pipe', '--to', 'megatron', '--schedule', 's', '--devices', '1', '--microbatches', '1'];
  const { status, err } = await call(asked, { files });
  expect([status, err]).toEqual([1, expect.stringContaining('it is a schedule without a model to train')]);
});
