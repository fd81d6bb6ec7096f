import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { paintKinds } from '../../../webview/picture/columns.ts';
import { contrast, labelOn, luminance, parseColour } from '../../../webview/view/scene/colour.ts';
import { type ThemeKind, themeFrom, themeKind } from '../../../webview/view/scene/theme.ts';

const kinds: readonly ThemeKind[] = ['dark', 'light', 'highContrast', 'highContrastLight'];

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly contributes: {
    readonly colors: readonly { readonly id: string; readonly defaults: Readonly<Record<string, string>> }[];
  };
};

describe('theme', () => {
  it.each(kinds)('keeps blocks at 3:1 on the ground and labels at 4.5:1 on blocks, %s', (kind) => {
    const theme = themeFrom(kind, () => '');
    for (const index of [0, 1, 2, 6]) {
      expect(contrast(theme.kinds[index], theme.background)).toBeGreaterThan(3);
      expect(contrast(theme.labels[index], theme.kinds[index])).toBeGreaterThan(4.5);
    }
    expect(contrast(theme.dim, theme.background)).toBeGreaterThan(4.5);
  });

  it.each(kinds)('has the colours that the editor is given for users to change, %s', (kind) => {
    const theme = themeFrom(kind, () => '');
    for (const [index, name] of paintKinds.entries()) {
      // A recompute takes a shade of the forward where it is given none.
      if (name === 'other' || name === 'recompute') continue;
      const given = manifest.contributes.colors.find(({ id }) => id === `pipelineTimeline.${name}`);
      expect(theme.kinds[index], name).toEqual(parseColour(given?.defaults[kind] ?? ''));
    }
  });

  it.each(kinds)('has a ring that shows on every colour, itself or by its border, %s', (kind) => {
    const theme = themeFrom(kind, () => '');
    for (const colour of [...theme.kinds, ...theme.hues, ...theme.versions])
      expect(Math.max(contrast(theme.ring, colour), contrast(theme.background, colour))).toBeGreaterThan(3);
    expect(contrast(theme.ring, theme.background)).toBeGreaterThan(14);
  });

  it('takes the colours of the editor first, whatever their notation', () => {
    const given: Record<string, string> = {
      '--vscode-editor-background': ' #102030',
      '--vscode-pipelineTimeline-forward': 'rgba(255, 0, 0, 0.5)',
    };
    const theme = themeFrom('dark', (name) => given[name] ?? '');
    expect(theme.background).toEqual([16, 32, 48]);
    expect(theme.kinds[0]).toEqual([136, 16, 24]);
  });

  it('knows the kind of theme by the classes of the body', () => {
    const classes = (...names: string[]) => ({ contains: (name: string) => names.includes(name) });
    expect(themeKind(classes('vscode-light'))).toBe('light');
    expect(themeKind(classes('vscode-high-contrast', 'vscode-high-contrast-light'))).toBe('highContrastLight');
    expect(themeKind(classes('vscode-high-contrast'))).toBe('highContrast');
    expect(themeKind(classes())).toBe('dark');
  });
});

describe('colour', () => {
  it('parses what style sheets hold', () => {
    expect(parseColour('#abc')).toEqual([0xaa, 0xbb, 0xcc]);
    expect(parseColour('#11223344', [0, 0, 0])).toEqual([5, 9, 14]);
    expect(parseColour('rgb(1 2 3 / 100%)')).toEqual([1, 2, 3]);
    expect(parseColour('currentcolor')).toBeUndefined();
    expect(parseColour('')).toBeUndefined();
  });

  it('measures as WCAG does', () => {
    expect(luminance([255, 255, 255])).toBeCloseTo(1);
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
    expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2);
    expect(labelOn([255, 255, 0])).toEqual([0x10, 0x14, 0x18]);
  });
});
