/** In place of the toolkit: a button and a list of names, of the browser itself. It is a hundred kilobytes lighter. */

const theme = (name: string): string => `var(--vscode-${name})`;
const rule = (selector: string, declarations: Readonly<Record<string, string>>): string =>
  `${selector}{${Object.entries(declarations)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`;
const style = new CSSStyleSheet();
style.replaceSync(
  [
    rule(':host', { display: 'inline-block' }),
    rule('button,select', {
      ...{ font: 'inherit', border: '1px solid transparent', 'border-radius': '2px', padding: '4px 11px' },
      ...{ width: '100%', height: '100%', cursor: 'pointer' },
    }),
    rule('button', { color: theme('button-secondaryForeground'), background: theme('button-secondaryBackground') }),
    rule(':host([appearance=primary]) button', {
      ...{ color: theme('button-foreground'), background: theme('button-background') },
    }),
    rule(':host([appearance=icon]) button', { color: 'inherit', background: 'none', padding: '3px' }),
    rule('select', {
      ...{ color: theme('input-foreground'), background: theme('input-background') },
      ...{ 'border-color': theme('input-border'), padding: '2px 4px' },
    }),
    rule(':disabled', { opacity: '0.5', cursor: 'default' }),
    rule(':focus-visible', { outline: `1px solid ${theme('focusBorder')}` }),
  ].join('\n'),
);

/** A control inside that does the work; names and focus go to it. */
abstract class Wrapped<Control extends HTMLButtonElement | HTMLSelectElement> extends HTMLElement {
  static readonly observedAttributes = ['aria-label'];
  protected abstract readonly control: Control;

  protected wrap(control: Control): Control {
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    control.setAttribute('part', 'control');
    root.append(control);
    return control;
  }

  attributeChangedCallback(_name: string, _before: string | null, label: string | null): void {
    this.control.setAttribute('aria-label', label ?? '');
  }

  get disabled(): boolean {
    return this.control.disabled;
  }
  set disabled(disabled: boolean) {
    this.control.disabled = disabled;
  }
}

class Button extends Wrapped<HTMLButtonElement> {
  protected readonly control = this.wrap(document.createElement('button'));
  constructor() {
    super();
    this.control.append(document.createElement('slot'));
  }
}

class Dropdown extends Wrapped<HTMLSelectElement> {
  protected readonly control = this.wrap(document.createElement('select'));
  constructor() {
    super();
    this.control.addEventListener('change', () => this.dispatchEvent(new Event('change')));
    new MutationObserver(() => this.#take()).observe(this, { childList: true });
  }

  get value(): string {
    return this.control.value;
  }
  set value(value: string) {
    this.#take();
    this.control.value = value;
  }

  /** The names that are in the element now. */
  #take(): void {
    const names = Array.from(this.children, (option) => option.getAttribute('value') ?? '');
    if (names.join('\n') === Array.from(this.control.options, ({ value }) => value).join('\n')) return;
    const { value } = this.control;
    this.control.replaceChildren(...names.map((name) => new Option(name, name)));
    if (names.includes(value)) this.control.value = value;
  }
}

export const vsCodeButton = (): (() => void) => () => customElements.define('vscode-button', Button);
export const vsCodeDropdown = (): (() => void) => () => customElements.define('vscode-dropdown', Dropdown);
export const vsCodeOption = (): (() => void) => () => undefined;
export const provideVSCodeDesignSystem = () => ({
  register: (...all: readonly (() => void)[]): void => all.forEach((define) => define()),
});
