/**
 * The page's controls. The only module that knows the toolkit, which is no longer maintained upstream; what it has no
 * control for (slider, toggle) is native.
 */
import { provideVSCodeDesignSystem, vsCodeButton, vsCodeDropdown, vsCodeOption } from '@vscode/webview-ui-toolkit';
import { element } from './dom.ts';
import { listOverPage } from './listOverPage.ts';
import type { SliderRange } from './sliderRange.ts';

export interface Control<T> {
  readonly element: HTMLElement;
  /** Shows a value; no `onChange`. */
  setValue(value: T): void;
  setDisabled(disabled: boolean): void;
}

let registered = false;
function register(): void {
  if (registered) return;
  registered = true;
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeDropdown(), vsCodeOption());
}

type Toolkit = HTMLElement & { value: string; disabled: boolean };
const toolkit = (tag: string, attributes: Readonly<Record<string, string>>): Toolkit => {
  register();
  const made = document.createElement(tag) as Toolkit;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

export function button(
  label: string,
  onClick: () => void,
  hint = label,
  appearance: 'primary' | 'secondary' | 'icon' = 'secondary',
): Control<string> {
  const made = toolkit('vscode-button', { appearance, title: hint, 'aria-label': hint });
  made.textContent = label;
  made.addEventListener('click', onClick);
  return {
    element: made,
    setValue: (text) => {
      made.textContent = text;
      if (hint !== label) return;
      made.title = text;
      made.setAttribute('aria-label', text);
    },
    setDisabled: (disabled) => void (made.disabled = disabled),
  };
}

/** One of a few, side by side. */
export function choice<T extends string>(
  name: string,
  options: readonly (readonly [T, string])[],
  onChange: (value: T) => void,
): Control<T> & { setShown(value: T, shown: boolean): void } {
  const group = element('div', { role: 'group', class: 'choice', 'aria-label': name });
  const segments = options.map(([value, label]) => {
    const segment = element('button', { type: 'button', class: 'toggle', 'aria-pressed': 'false' }, label);
    segment.addEventListener('click', () => {
      setValue(value);
      onChange(value);
    });
    group.append(segment);
    return segment;
  });
  const setValue = (value: T) =>
    segments.forEach((segment, index) => segment.setAttribute('aria-pressed', String(options[index][0] === value)));
  return {
    element: group,
    setValue,
    setShown: (value, shown) =>
      segments.forEach((segment, index) => {
        if (options[index][0] === value) segment.hidden = !shown;
      }),
    setDisabled: (disabled) => segments.forEach((segment) => void (segment.disabled = disabled)),
  };
}

/** One of several names. `setOptions` keeps the listbox in step. */
export function dropdown(
  name: string,
  onChange: (value: string) => void,
): Control<string> & { setOptions(options: readonly string[]): void } {
  const made = toolkit('vscode-dropdown', { 'aria-label': name });
  let shown = '';
  listOverPage(made);
  made.addEventListener('change', () => onChange(made.value));
  return {
    element: made,
    setOptions: (options) => {
      const key = JSON.stringify(options);
      if (key === shown) return;
      shown = key;
      made.replaceChildren(
        ...options.map((option) => {
          const entry = toolkit('vscode-option', { value: option });
          entry.textContent = option;
          return entry;
        }),
      );
    },
    setValue: (value) => void (made.value = value),
    setDisabled: (disabled) => void (made.disabled = disabled),
  };
}

/** A slider, and a field for exact values to be put next to it. Values are in the unit shown. */
export function slider(
  name: string,
  unit: string,
  onInput: (value: number) => void,
): Control<number> & {
  /** The field for exact values, with the unit. */
  readonly exact: HTMLElement;
  setRange(range: SliderRange): void;
  focus(): void;
} {
  const range = element('input', { type: 'range', 'aria-label': unit === '' ? name : `${name}, ${unit}` });
  const field = element('input', {
    type: 'number',
    'aria-label': `${name}, exact value${unit === '' ? '' : ` in ${unit}`}`,
  });
  const made = element('span', { class: 'slider' }, range);
  const exact = element('span', { class: 'exact' }, field);
  if (unit !== '') exact.append(element('span', { class: 'unit' }, unit));
  const show = (value: number) => {
    const text = String(value);
    // Never under the person's fingers.
    if (range.value !== text) range.value = text;
    if (document.activeElement !== field && field.value !== text) field.value = text;
  };
  range.addEventListener('input', () => {
    field.value = range.value;
    onInput(range.valueAsNumber);
  });
  field.addEventListener('input', () => {
    if (!Number.isFinite(field.valueAsNumber) || !field.validity.valid) return;
    range.value = field.value;
    onInput(field.valueAsNumber);
  });
  return {
    element: made,
    exact,
    focus: () => range.focus(),
    setRange: ({ min, max, step }) => {
      for (const input of [range, field]) {
        input.min = String(min);
        input.max = String(max);
        input.step = String(step);
      }
    },
    setValue: show,
    setDisabled: (disabled) => {
      range.disabled = disabled;
      field.disabled = disabled;
    },
  };
}
