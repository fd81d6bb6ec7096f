/** Pages of policies with their arguments, and of published systems. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { collectives } from '../../engine/exchange/collectives.ts';
import { localRule } from '../../engine/exchange/local.ts';
import { exchangePresets } from '../../engine/exchange/presets.ts';
import { functions } from '../../engine/language/functions.ts';
import { planners } from '../../engine/language/schema/words.ts';
import { textSchedules } from '../../engine/language/textSchedules.ts';
import { policies } from '../../engine/policies/registry.ts';
import { standardText, scheduleUri } from '../../engine/std/index.ts';
import { root } from '../build.ts';
import type { Generated } from './generatedText.ts';
import { code, fact, list, page } from './markdown.ts';
import { functionEntry, sharedLines, sharedSection } from './names.ts';

export const policyPages = (): readonly Generated[] => [policyPage(), systemPage()];

function policyPage(): Generated {
  const shared = sharedLines(functions.filter(({ context }) => context === 'schedule'));
  const entries = policies.map((policy) => {
    const schema = functions.find(({ context, name }) => context === 'schedule' && name === policy.name);
    if (schema === undefined) return '';
    const uri = scheduleUri(policy.name);
    return page(
      functionEntry(schema, policy.name, shared),
      list([
        fact('Backward', policy.split ? 'input and weight gradients apart' : 'whole'),
        fact(
          'As text',
          uri !== undefined && standardText(uri) !== undefined ? code(`pipewright explain ${policy.name}`) : undefined,
        ),
        fact('Page', `[definition and drawing](../schedules/${policy.page}.md#${policy.name})`),
      ]),
    ).trimEnd();
  });
  return {
    page: 'look-up/policies.md',
    text: page(
      '# Policies',
      'A policy is a built-in schedule: `schedule = interleaved_1f1b(chunks = 2)`. [Schedules](../schedules/README.md) compares them.',
      ...entries,
      sharedSection(shared),
    ),
  };
}

interface System {
  readonly name: string;
  readonly write: string;
  readonly doc: string;
  readonly source?: string;
  readonly pages: readonly string[];
}

function systemPage(): Generated {
  const links = (name: string): readonly string[] =>
    [`schedules/${name}.md`, `communication/${name}.md`]
      .filter((file) => existsSync(path.join(root, 'docs', file)))
      .map((file) => `[page](../${file})`)
      .concat(
        ['systems', 'schedules']
          .map((folder) => `examples/${folder}/${name}.pipe`)
          .filter((file) => existsSync(path.join(root, file)))
          .map((file) => `[example](../../${file})`),
      );
  const systems: readonly System[] = [
    {
      name: localRule.name,
      write: 'sync = local(steps = 500)',
      doc: localRule.doc,
      source: localRule.source,
      pages: links(localRule.name),
    },
    ...exchangePresets
      .slice(1)
      .map(({ name, doc, source }): System => ({ name, write: `sync = ${name}`, doc, source, pages: links(name) })),
    ...collectives.map(({ name, doc, source }): System => ({
      name,
      write: `collective = ${name}`,
      doc,
      source,
      pages: links(name),
    })),
    ...planners.map((name): System => ({
      name: `${name}, planner`,
      write: `stages = plan(${name})`,
      doc: 'Stages by the planner of this system.',
      pages: links(name),
    })),
    ...[...textSchedules].map(([name, { example }]): System => ({
      name,
      write: `import { … } from "${example}.pipe"`,
      doc: 'A schedule in text: copy the example next to your file.',
      pages: links(name),
    })),
  ];
  const entry = ({ name, write, doc, source, pages }: System): string =>
    page(
      `## ${code(name)}`,
      doc,
      list([fact('Write', code(write)), fact('Source', source), fact('More', pages.join(', '))]),
    ).trimEnd();
  return {
    page: 'look-up/systems.md',
    text: page(
      '# Systems',
      'What published systems do, and how to write it. Their schedules are [policies](policies.md). Each entry is a rule of gradient exchange, a collective, a planner or a schedule in text.',
      ...systems.map(entry),
    ),
  };
}
