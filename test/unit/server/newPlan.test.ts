/** What *Plan a Model on a Cluster…* asks, and the file that it gets. */
import { expect, test } from 'vitest';
import { engines } from '../../../engine/engines/registry.ts';
import type { NewPlanAnswer, NewPlanChoices } from '../../../webview/protocol/requests.ts';
import { main, withClient } from '../../support/server.ts';

test('every model on a cluster is a file without an error, for each engine', async () => {
  await withClient(async (client) => {
    const { models, clusters } = await client.request<NewPlanChoices>('pipewright/newPlanChoices', {});
    expect(models.map(({ name }) => name)).toEqual(expect.arrayContaining(['llama3_70b', 'deepseek_v3']));
    expect(clusters.find(({ name }) => name === 'dgx_h100')).toMatchObject({ sized: true });
    for (const { about } of [...models, ...clusters]) expect(about).not.toBe('');
    for (const [index, { name }] of models.entries()) {
      const engine = [undefined, ...engines.map((each) => each.name)][index % (engines.length + 1)];
      const asked = {
        model: name,
        cluster: 'dgx_h100',
        nodes: 8,
        batch: { tokens: 4e6 },
        ...(engine === undefined ? {} : { engine }),
      };
      const answer = await client.request<NewPlanAnswer>('pipewright/newPlan', asked);
      if (!('pipe' in answer)) throw new Error(`${name}: ${answer.problem}`);
      expect(answer.pipe).toContain('import { dgx_h100 } from "std:clusters" with { nodes = 8 }');
      if (engine !== undefined) expect(answer.pipe).toMatch(new RegExp(`engine += ${engine}`));
      // What does not fit the devices is what the search is for.
      client.open(main, answer.pipe);
      const { diagnostics } = await client.diagnostics(main);
      const errors = diagnostics.filter(({ severity, code }) => severity === 1 && !String(code).startsWith('memory/'));
      expect([name, errors.map(({ message }) => message)]).toEqual([name, []]);
      client.close(main);
    }
  });
});

test('a cluster of one size, and what no ranks share', async () => {
  await withClient(async (client) => {
    const ask = (cluster: string, tokens: number) =>
      client.request<NewPlanAnswer>('pipewright/newPlan', { model: 'llama3_8b', cluster, batch: { tokens } });
    const { clusters } = await client.request<NewPlanChoices>('pipewright/newPlanChoices', {});
    const fixed = clusters.find(({ sized }) => !sized)?.name ?? '';
    expect(await ask(fixed, 4e6)).toHaveProperty(
      'pipe',
      expect.stringContaining(`import { ${fixed} } from "std:clusters"\n`),
    );
    expect(await ask('nowhere', 4e6)).toHaveProperty('problem');
  });
});

test('each model and each cluster is told by its first sentence, whole', async () => {
  await withClient(async (client) => {
    const { models, clusters } = await client.request<NewPlanChoices>('pipewright/newPlanChoices', {});
    const about = (name: string) => [...models, ...clusters].find((choice) => choice.name === name)?.about;
    expect(about('llama3_1_8b')).toBe('Llama 3.1 8B');
    expect(about('dgx_h100')).toMatch(/^DGX H100: .* for each$/);
    for (const { name, about: words } of [...models, ...clusters]) expect(words, name).toMatch(/^\S.*[^.\s]$/);
  });
});
