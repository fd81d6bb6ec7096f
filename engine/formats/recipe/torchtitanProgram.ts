/** Programs that `exportTorchtitan` wrote: settings that change a configuration, stages, and the order of a table. */
import { writtenLayers } from '../program/layers.ts';
import { constantsOf, isProgram, tableOfProgramText, withoutTable } from '../program/read.ts';
import { objectOf } from '../python/assignments.ts';
import { readPython } from '../python/read.ts';
import { wholeLoss } from '../torchtitan/settings.ts';
import { orderText } from '../torchCsv/toPipe.ts';
import type { RecipeImport } from './finish.ts';
import { modelOfWords } from './models.ts';
import { pipeOfTorchtitan } from './torchtitan.ts';

/** Whether a text is a program that we wrote for torchtitan. */
export const isTorchtitanProgram = (text: string): boolean =>
  isProgram(text) && /^from torchtitan\.trainer import Trainer$/m.test(text);

/** Its settings and its stages, and the order of its table if it has one. */
export function pipeOfTorchtitanProgram(text: string): RecipeImport {
  const found = tableOfProgramText(text);
  if (found !== undefined && 'faults' in found) return found;
  const { assigned } = readPython(withoutTable(text), () => false);
  const place = { start: 0, end: 1 };
  const wordMember = (value: string) => ({ key: place, value: { kind: 'string' as const, value, ...place } });
  const config = objectOf(
    new Map([
      ...[...assigned].filter(
        ([path]) => !/\.(?:loss|module_fqns_per_model_part|pipeline_parallel_schedule_csv)$/.test(path),
      ),
      ...(text.includes(`\n    config.loss = ${wholeLoss}\n`)
        ? [['config.loss._class', wordMember('CrossEntropyLoss')] as const]
        : []),
    ]),
    'config',
  );
  const { layers = [] } = constantsOf(text);
  const names = layers.map((stage) =>
    stage.flatMap((name) => (name === 'norm' ? [] : [name.replace(/^layers\.(\d+)$/, 'layers[$1]')])),
  );
  const members = new Map([...config.members, ['_class', wordMember('Trainer.Config')] as const]);
  const base = /^from torchtitan\.models\.llama3\.config_registry import llama3_(\w+) as base$/m.exec(text)?.[1];
  return pipeOfTorchtitan({ ...config, members }, [], {
    base: base === undefined ? undefined : modelOfWords('llama3', base),
    counts: names.map((stage) => stage.filter((name) => name.startsWith('layers[')).length),
    layers: writtenLayers(names),
    ...(found === undefined
      ? {}
      : {
          table: {
            order: orderText(found.read.table, found.schedule.shape),
            ...found.schedule.shape,
            ranks: found.read.table.rows.length,
          },
        }),
  });
}
