/** Pages of what the extension adds to an editor: settings, colours, commands, keys of the preview. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { shortcuts } from '../../webview/protocol/shortcuts.ts';
import { root } from '../build.ts';
import type { Generated } from './generatedText.ts';
import { code, fact, list, page, table } from './markdown.ts';

interface Property {
  readonly type: string | readonly string[];
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly description?: string;
  readonly markdownDescription?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly mac?: string }[];
    readonly colors: readonly {
      readonly id: string;
      readonly description: string;
      readonly defaults: Readonly<Record<string, string>>;
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Property>> };
  };
}

export function manifestPages(): readonly Generated[] {
  const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
  return [settings(contributes), colours(contributes), commands(contributes), keys()];
}

function settings({ configuration }: Manifest['contributes']): Generated {
  const entry = ([name, property]: readonly [string, Property]): string =>
    page(
      `## ${code(name)}`,
      property.markdownDescription ?? property.description ?? '',
      list([
        fact('Type', [property.type].flat().join(' or ')),
        fact('Default', code(JSON.stringify(property.default))),
        fact('Range', rangeOf(property)),
        ...(property.enum ?? []).map(
          (word, at) =>
            `- ${code(word)}${property.enumDescriptions === undefined ? '' : `: ${property.enumDescriptions[at]}`}`,
        ),
      ]),
    ).trimEnd();
  return {
    page: 'look-up/settings.md',
    text: page(
      '# Settings',
      'Write settings in the settings of your editor.',
      ...Object.entries(configuration.properties).map(entry),
    ),
  };
}

const rangeOf = ({ minimum, maximum }: Property): string | undefined => {
  const parts = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
};

const colours = ({ colors }: Manifest['contributes']): Generated => ({
  page: 'look-up/colours.md',
  text: page(
    '# Colours',
    'Change a colour of the timeline in `workbench.colorCustomizations`.',
    ...colors.map(({ id, description, defaults }) =>
      page(
        `## ${code(id)}`,
        description,
        list(Object.entries(defaults).map(([theme, colour]) => `- ${theme}: ${code(colour)}`)),
      ).trimEnd(),
    ),
  ),
});

const commands = ({ commands: all, keybindings }: Manifest['contributes']): Generated => ({
  page: 'look-up/commands.md',
  text: page(
    '# Commands of the editor',
    'Open the command palette and type "Pipewright". Commands of the terminal have [another page](options.md).',
    ...all.map(({ command, title }) => {
      const key = keybindings.find((each) => each.command === command);
      return page(
        `## ${title}`,
        list([
          fact('Command', code(command)),
          fact(
            'Key',
            key === undefined
              ? undefined
              : `${code(key.key)}${key.mac === undefined ? '' : `, on a Mac ${code(key.mac)}`}`,
          ),
        ]),
      ).trimEnd();
    }),
  ),
});

const keys = (): Generated => ({
  page: 'look-up/preview-keys.md',
  text: page(
    '# Keys of the preview',
    'Keys act while the timeline has the focus. `?` shows the same table.',
    table(
      ['key', 'does'],
      shortcuts.map(([key, does]) => [key.startsWith(',') ? code(key) : key.split(', ').map(code).join(', '), does]),
    ),
  ),
});
