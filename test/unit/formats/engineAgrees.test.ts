/** What a finding says of an engine, and what the export to it refuses: one rule. */
import { describe, expect, test } from 'vitest';
import { optimizers } from '../../../engine/costs/optimizer.ts';
import { programFormats } from '../../../engine/formats/programs.ts';
import { launchOf } from '../../../engine/formats/launch.ts';
import { analyse } from '../../support/analyse.ts';

const source = (engine: string, precision: string, stages: number, optimizer: string): string => `
import { h100, ib_ndr_400 } from "std:hardware"
cluster c { node[8] { gpu[8] = h100  link = 370GB/s + 3.4us }  link = ib_ndr_400 }
model m {
  sequence = 1024
  precision = ${precision}
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[6] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
  layer out = lm_head(vocab = 32000, hidden = 1024)
}
pipeline train {
  model = m
  devices = c
  microbatches = 2
  data = 2
  stages = balance(${stages})
  schedule = 1f1b
  optimizer = ${optimizer}
  engine = ${engine}
}
`;

/** What findings say, and why the export refuses. */
function said(engine: string, text: string): { readonly messages: readonly string[]; readonly problem: string } {
  const { resolution, pipelines, findings } = analyse(text);
  const [{ plan, run }] = pipelines;
  const format = programFormats.find(({ name }) => name === engine);
  if (run === undefined || format === undefined) throw new Error('There is no run.');
  const made = format.write(plan, run.program, { launch: launchOf(resolution, plan), comms: false });
  const messages = findings.flatMap(({ code, message }) => (code === 'engine/unsupported' ? [message] : []));
  return { messages, problem: 'problem' in made ? `${made.problem}.` : '' };
}

describe.each(['megatron', 'torchtitan', 'deepspeed'])('%s', (engine) => {
  const recipes = optimizers.flatMap(({ name }) =>
    name === 'custom' ? ['custom(weight = 2, gradient = 4, state = 12)'] : [name],
  );
  test.each(['bf16', 'fp8'])('optimizers in %s', (precision) => {
    let refused = 0;
    for (const stages of [1, 4])
      for (const recipe of recipes)
        for (const shard of precision === 'bf16' ? ['', 'shard = zero1'] : ['']) {
          if (recipe === 'none' && shard !== '') continue;
          const inside = [
            ...(recipe.includes('(') ? [recipe.slice(recipe.indexOf('(') + 1, -1)] : []),
            ...(shard === '' ? [] : [shard]),
          ];
          const optimizer = `${recipe.replace(/\(.*/, '')}${inside.length === 0 ? '' : `(${inside.join(', ')})`}`;
          const { messages, problem } = said(engine, source(engine, precision, stages, optimizer));
          if (problem === '') expect(messages, `${optimizer} on ${stages} ranks`).toEqual([]);
          else {
            // The export gives one reason, and a finding all of them.
            const [reason] = problem.split(/\.(?: The nearest|$)/);
            expect(messages.join('\n'), `${optimizer} on ${stages} ranks`).toContain(reason);
            refused += 1;
          }
        }
    expect(refused).toBeGreaterThan(5);
  });
});
