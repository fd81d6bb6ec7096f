/** What a rule of gradient exchange or a collective is and takes, from the tables that the engine reads. */
import { collectives, findCollective } from '../../engine/exchange/collectives.ts';
import { localParameters, localRule } from '../../engine/exchange/local.ts';
import { type ExchangePreset, exchangePresets, findPreset, inOrder } from '../../engine/exchange/presets.ts';

export const exchangeNames: readonly string[] = [localRule, ...exchangePresets, ...collectives].map(({ name }) => name);

interface Parameter {
  readonly name: string;
  readonly doc: string;
  readonly default?: string;
}

/** A page in Markdown; `undefined` for another name. */
export function exchangeText(name: string): string | undefined {
  if (name === localRule.name) return page('sync', localRule, localParameters, `local(steps = 500)`);
  const preset = findPreset(name);
  if (preset !== undefined) return page('sync', preset, parametersOf(preset));
  const collective = findCollective(name);
  return collective === undefined ? undefined : page('collective', collective, collective.parameters);
}

/** Only `overlap` has defaults: another rule has its values in its description. */
function parametersOf(preset: ExchangePreset): readonly Parameter[] {
  const parameters = inOrder(preset);
  return preset.name === 'overlap' ? parameters : parameters.map(({ name, doc }) => ({ name, doc }));
}

function page(
  key: string,
  { name, doc, source }: { readonly name: string; readonly doc: string; readonly source: string },
  parameters: readonly Parameter[],
  written = name,
): string {
  const rows = parameters.map(
    (parameter) =>
      `- \`${parameter.name}\`: ${parameter.doc}${parameter.default === undefined ? '' : `. Default: ${parameter.default}`}`,
  );
  return [
    `## ${key === 'sync' ? 'Rule of gradient exchange' : 'Collective'}: ${name}`,
    doc,
    `Write \`${key} = ${written}\` in a pipeline.`,
    ...(rows.length === 0 ? [] : [`Arguments:\n\n${rows.join('\n')}`]),
    ...(key === 'sync' && name !== 'overlap' && name !== localRule.name
      ? ['Arguments in the file replace what the rule sets. All else is as in `overlap`.']
      : []),
    ...(source === '' ? [] : [`Source: ${source}`]),
  ]
    .join('\n\n')
    .concat('\n');
}
