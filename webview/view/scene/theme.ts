import { type Rgb, contrast, css, labelOn, mix, parseColour, pixel } from './colour.ts';
import { huesOf } from './hues.ts';
import { type PaintKind, paintKinds } from '../../picture/columns.ts';
import { chunkColours, hueColours, paletteColours, type Palette, versionColours } from '../../worker/palette.ts';
import type { ColourBy } from '../../protocol/messages.ts';

export type ThemeKind = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

/** All colours that are drawn, read from the editor's theme. */
export interface Theme {
  readonly kind: ThemeKind;
  readonly highContrast: boolean;
  readonly background: Rgb;
  readonly foreground: Rgb;
  readonly dim: Rgb;
  readonly line: Rgb;
  readonly focus: Rgb;
  readonly error: Rgb;
  readonly warning: Rgb;
  readonly bubble: Rgb;
  readonly kinds: readonly Rgb[];
  readonly labels: readonly Rgb[];
  /** Of microbatches, by number modulo 8. */
  readonly hues: readonly Rgb[];
  /** Of versions, by `versionLook`. */
  readonly versions: readonly Rgb[];
  /** Of the ring round the selection: the editor's foreground at full strength. */
  readonly ring: Rgb;
  readonly font: string;
}

/** Hues that versions take: of these four, every pair is furthest apart. */
const versionHues = [2, 0, 4, 6];

type FallbackColours = Readonly<
  Record<
    Exclude<PaintKind, 'other' | 'recompute'> | 'background' | 'foreground' | 'focus' | 'error' | 'warning',
    string
  >
>;

/**
 * Fallbacks where the editor gives no colour. Chosen so that every pair stays apart with normal and colour-deficient
 * sight (CIEDE2000 over normal, protan, deutan and tritan) and reads at 3:1 on the ground. With declared operations a pair
 * differs by 11.9 and more.
 */
const fallbacks: Readonly<Record<ThemeKind, FallbackColours>> = {
  dark: {
    forward: '#2f77c8',
    backwardInput: '#eb964e',
    backwardWeight: '#7ccaab',
    optimizer: '#fff0a2',
    transfer: '#c3b5e2',
    collective: '#b16780',
    operation1: '#76ffed',
    operation2: '#a292ff',
    operation3: '#ffce05',
    operation4: '#d24400',
    operation5: '#758556',
    operation6: '#9d8aaf',
    background: '#1f1f1f',
    foreground: '#cccccc',
    focus: '#3a9bed',
    error: '#f85149',
    warning: '#eb964e',
  },
  light: {
    forward: '#396dbe',
    backwardInput: '#c68100',
    backwardWeight: '#15a084',
    optimizer: '#726228',
    transfer: '#541f81',
    collective: '#aa3250',
    operation1: '#f7406c',
    operation2: '#1e5235',
    operation3: '#947496',
    operation4: '#7a0102',
    operation5: '#61557b',
    operation6: '#6a294c',
    background: '#ffffff',
    foreground: '#3b3b3b',
    focus: '#005fb8',
    error: '#d1242f',
    warning: '#a35b00',
  },
  highContrast: {
    forward: '#3888ec',
    backwardInput: '#f0995b',
    backwardWeight: '#a0fcd1',
    optimizer: '#fffe59',
    transfer: '#cfbee7',
    collective: '#b8407c',
    operation1: '#36bf9d',
    operation2: '#ac88ad',
    operation3: '#ab7c02',
    operation4: '#b80304',
    operation5: '#698d69',
    operation6: '#556744',
    background: '#000000',
    foreground: '#ffffff',
    focus: '#f38518',
    error: '#f48771',
    warning: '#f0995b',
  },
  highContrastLight: {
    forward: '#2f5cb1',
    backwardInput: '#c7802b',
    backwardWeight: '#18957b',
    optimizer: '#525500',
    transfer: '#450163',
    collective: '#7d1125',
    operation1: '#ff417a',
    operation2: '#0a1bb3',
    operation3: '#815278',
    operation4: '#d40e3a',
    operation5: '#632b4a',
    operation6: '#a43e56',
    background: '#ffffff',
    foreground: '#292929',
    focus: '#006bbd',
    error: '#b5200d',
    warning: '#8a4b00',
  },
};

/** From the classes that the editor puts on `body`. */
export function themeKind(classes: { contains(name: string): boolean }): ThemeKind {
  if (classes.contains('vscode-high-contrast-light')) return 'highContrastLight';
  if (classes.contains('vscode-high-contrast')) return 'highContrast';
  return classes.contains('vscode-light') ? 'light' : 'dark';
}

/** `read` gives the value of a custom property, empty where there is none. */
export function themeFrom(kind: ThemeKind, read: (property: string) => string): Theme {
  const defaults = fallbacks[kind];
  const fallback = (name: keyof FallbackColours): Rgb => parseColour(defaults[name]) ?? [128, 128, 128];
  const background = parseColour(read('--vscode-editor-background')) ?? fallback('background');
  const colour = (property: string, otherwise: Rgb): Rgb => parseColour(read(property), background) ?? otherwise;
  const foreground = colour('--vscode-editor-foreground', fallback('foreground'));
  const timelineColour = (name: string, otherwise: Rgb) => colour(`--vscode-pipelineTimeline-${name}`, otherwise);
  const forward = timelineColour('forward', fallback('forward'));
  const kinds = paintKinds.map((name): Rgb => {
    if (name === 'other') return mix(background, foreground, 0.5);
    if (name === 'recompute') return timelineColour('recompute', mix(forward, background, 0.25));
    return timelineColour(name, fallback(name));
  });
  const highContrast = kind === 'highContrast' || kind === 'highContrastLight';
  return {
    kind,
    highContrast,
    background,
    foreground,
    dim: mix(background, foreground, highContrast ? 0.9 : 0.7),
    line: mix(background, foreground, highContrast ? 0.4 : 0.14),
    focus: colour('--vscode-focusBorder', fallback('focus')),
    error: colour('--vscode-errorForeground', fallback('error')),
    warning: colour('--vscode-editorWarning-foreground', fallback('warning')),
    bubble: timelineColour('bubble', mix(background, foreground, highContrast ? 0.6 : 0.22)),
    kinds,
    labels: kinds.map(labelOn),
    hues: huesOf[kind],
    versions: versionHues.map((hue) => huesOf[kind][hue]),
    ring: contrast([255, 255, 255], background) >= contrast([0, 0, 0], background) ? [255, 255, 255] : [0, 0, 0],
    font: read('--vscode-font-family').trim() || 'sans-serif',
  };
}

/** The theme of the document as it is now. */
export function currentTheme(): Theme {
  const style = getComputedStyle(document.body);
  return themeFrom(themeKind(document.body.classList), (property) => style.getPropertyValue(property));
}

/** The editor changes a theme by classes of the body and by properties of the root. */
export function onThemeChange(changed: () => void): void {
  const watcher = new MutationObserver(changed);
  watcher.observe(document.body, { attributes: true, attributeFilter: ['class'] });
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
}

/** What the renderer needs of a theme. `chunk`: chunk of each stage. */
export function paletteFrom(theme: Theme, colourBy: ColourBy, chunk: Uint8Array): Palette {
  const colours = new Uint32Array(paletteColours);
  theme.kinds.forEach((colour, kind) => {
    colours[kind] = pixel(colour);
    for (let step = 0; step < 4; step += 1)
      colours[chunkColours + kind * 4 + step] = pixel(chunkColour(theme, kind, step));
  });
  theme.hues.forEach((colour, index) => (colours[hueColours + index] = pixel(colour)));
  theme.versions.forEach((colour, index) => (colours[versionColours + index] = pixel(colour)));
  return {
    background: pixel(theme.background),
    colours,
    colourBy,
    chunk,
    border: theme.highContrast ? pixel(theme.foreground) : 0,
  };
}

/** Hue of the kind, a step nearer to the ground for each chunk. */
export const chunkColour = (theme: Theme, kind: number, chunk: number): Rgb =>
  mix(theme.kinds[kind], theme.background, 0.16 * Math.min(3, chunk));

export const font = (theme: Theme, size: number, weight = 400): string => `${weight} ${size}px ${theme.font}`;
export { css };
