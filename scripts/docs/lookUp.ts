/** The first page of the reference. */
import type { Generated } from './generatedText.ts';
import { page } from './markdown.ts';

export const indexPage = (): Generated => ({
  page: 'look-up/README.md',
  text: page(
    '# Look up',
    '`pipewright explain NAME` prints what any name means. The [cheat sheet](cheat-sheet.md) has everything on one screen, and the [glossary](glossary.md) explains the terms.',
    '## The language',
    `- [Blocks and their keys](../language.md#blocks), [functions](functions.md), [units](units.md), [figures](figures.md)
- [Shapes](shapes.md), [optimizers](optimizers.md), [number formats](precisions.md)
- [Grammar](../grammar.md)`,
    '## What comes with it',
    `- [Devices](std/devices.md), [links](std/links.md), [clusters](std/clusters.md), [models](std/models.md)
- [Policies](policies.md), [schedules](../schedules/README.md), [systems](systems.md), [engines](../engines/README.md)`,
    '## Programs',
    `- [Commands of the editor](commands.md), [settings](settings.md), [colours](colours.md), [keys of the preview](preview-keys.md)
- [Options of each command](options.md), [the report](report.md), [findings](../diagnostics/README.md)`,
    '## Figures',
    `- [Costs](../costs/README.md), [what the simulator does](simulator.md), [accuracy](../accuracy.md), [symbols](symbols.md)`,
  ),
});
