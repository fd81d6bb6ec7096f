/** What the editor knows of optimizers and their arguments: all from the recipes. */
import { describe, expect, test } from 'vitest';
import type { DocumentHighlight, SignatureHelp } from 'vscode-languageserver';
import { optimizers } from '../../../engine/costs/optimizer.ts';
import { type Client, withClient } from '../../support/server.ts';
import { askIn, invoked, labelsOf, shownBy } from '../../support/asked.ts';

const file = (optimizer: string): string => `device gpu { memory = 16GiB }
cluster box { gpu[8] = gpu  link = 25GB/s + 5us }
model toy { layer block[8] { forward = 1ms  backward = 2ms  weights = 1MiB } }
pipeline train {
  model = toy  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b  data = 2
  optimizer = ${optimizer}
}
`;

const ask = <R>(client: Client, source: string, method: string): Promise<R> =>
  askIn(client, source, `textDocument/${method}`, invoked);

describe.each(optimizers.map((optimizer) => [optimizer.name, optimizer] as const))('%s', (name, recipe) => {
  test('hover, completion and signature help know it, its arguments and their words', async () => {
    await withClient(async (client) => {
      const whole = recipe.parameters.some((parameter) => parameter.required) ? `${name}(1, 2, 3)` : name;
      expect(shownBy(await ask(client, file(`$0${whole}`), 'hover'))).toContain(recipe.doc.slice(0, 40));
      expect(labelsOf(await ask(client, file('$0'), 'completion'))).toContain(name);
      const help = await ask<SignatureHelp | null>(client, file(`${name}($0)`), 'signatureHelp');
      const offered = labelsOf(await ask(client, file(`${name}($0)`), 'completion'));
      for (const parameter of recipe.parameters) {
        expect(help?.signatures[0]?.label).toContain(parameter.name);
        expect(offered).toContain(parameter.name);
        if (parameter.words === undefined) continue;
        const words = labelsOf(await ask(client, file(`${name}(${parameter.name} = $0)`), 'completion'));
        expect(words).toEqual(parameter.words);
      }
    });
  });
});

test('an optimizer and a shape of one name are two things', async () => {
  await withClient(async (client) => {
    const both = file('$0custom(weight = 2, gradient = 4, state = 12)').replace(
      'layer block[8] {',
      'sequence = 1  layer first = custom(flops = 1MFLOP)\n  layer block[8] {',
    );
    expect(shownBy(await ask(client, both, 'hover'))).toContain('custom(weight, gradient, state');
    const found = await ask<DocumentHighlight[] | null>(client, both, 'documentHighlight');
    expect(found).toHaveLength(1);
  });
});
