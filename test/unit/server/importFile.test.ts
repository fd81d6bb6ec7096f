import { describe, expect, it } from 'vitest';
import { importFile } from '../../../server/requests/importFile.ts';
import { planOf } from '../../support/resolve.ts';

const uri = 'file:///schedule.csv';

describe('pipewright/import', () => {
  it('gives a PyTorch table as a complete .pipe text', () => {
    const answer = importFile({ uri, text: '0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n' });
    if ('problem' in answer) throw new Error(answer.problem);
    expect(planOf(answer.pipe).devices).toHaveLength(2);
  });

  it('says where a table is wrong', () => {
    expect(importFile({ uri, text: '0F0,0F0,0B0\n,1F0,1B0\n' })).toEqual({
      problem: expect.stringMatching(/^line 1, character 5: /),
    });
  });

  it('says what can be imported if a file is none of it', () => {
    expect(importFile({ uri, text: 'Dear Sir,\n' })).toEqual({
      problem: expect.stringMatching(/^The format of this file is not known\. Import reads schedule tables of PyTorch/),
    });
  });

  it('of a registry with several configurations the one that is asked for, or their names', () => {
    const one = (name: string, tensor: number) => `
def ${name}() -> Trainer.Config:
    parallelism = ParallelismConfig(
        tensor_parallel_degree=${tensor},
    )
    return Trainer.Config(
        hf_assets_path="./assets/hf/Llama-3.1-8B",
        parallelism=parallelism,
    )
`;
    const text = `from torchtitan.trainer import Trainer\n${one('small', 2)}\n${one('large', 8)}`;
    const asked = importFile({ uri, text });
    expect(asked).toEqual({
      problem:
        'line 17, character 12: The file has several configurations: "small", "large". Choose one: --config small.',
      choices: ['small', 'large'],
    });
    for (const [config, tensor] of [
      ['small', 2],
      ['large', 8],
    ] as const) {
      const answer = importFile({ uri, text, config });
      expect('pipe' in answer && /tensor += (\d)/.exec(answer.pipe)?.[1]).toBe(String(tensor));
    }
    expect(importFile({ uri, text, config: 'parallelism' })).toMatchObject({
      problem: expect.stringContaining('The file has no configuration "parallelism". It has "small", "large".'),
    });
    // One of several calls in no function, and damaged texts, are told as before.
    const loose = text.replace('def large() -> Trainer.Config:', 'if True:');
    expect(importFile({ uri, text: loose })).toMatchObject({
      problem: expect.stringContaining('several configurations'),
    });
    expect(importFile({ uri, text: text.slice(0, -30), config: 'large' })).toHaveProperty('problem');
  });
});
