/** What the page says and asks. */
import type { Item } from '../vscode/page.ts';

/** Milliseconds that a note stays in sight. An error stays until it is closed. */
const noteTime = 6000;
const separator = -1;

export function createDialogs(notes: HTMLElement, dialog: HTMLDialogElement, file: HTMLInputElement) {
  function button(text: string, act: () => void): HTMLButtonElement {
    const made = document.createElement('button');
    made.type = 'button';
    made.append(text);
    made.addEventListener('click', act);
    return made;
  }

  return {
    say(message: string, kind: 'note' | 'error', actions: readonly string[] = []): Promise<string | undefined> {
      return new Promise((resolve) => {
        const line = document.createElement('p');
        line.className = kind;
        const end = (chosen?: string): void => {
          line.remove();
          resolve(chosen);
        };
        line.append(
          message,
          ...actions.map((action) => button(action, () => end(action))),
          button('Close', () => end()),
        );
        notes.append(line);
        if (kind === 'note' && actions.length === 0) setTimeout(end, noteTime);
      });
    },
    choose(items: readonly Item[], title: string): Promise<number | undefined> {
      return new Promise((resolve) => {
        const heading = document.createElement('h2');
        heading.append(title);
        const list = document.createElement('ul');
        items.forEach(({ label, description, detail, kind }, index) => {
          const item = document.createElement('li');
          if (kind === separator) {
            item.className = 'group';
            item.append(label);
          } else {
            const choice = button(label, () => dialog.close(String(index)));
            const more = [description, detail].filter((text) => text !== undefined && text !== '').join(' · ');
            if (more !== '') {
              const dim = document.createElement('span');
              dim.append(more);
              choice.append(dim);
            }
            item.append(choice);
          }
          list.append(item);
        });
        dialog.replaceChildren(
          heading,
          list,
          button('Cancel', () => dialog.close('')),
        );
        dialog.addEventListener(
          'close',
          () => resolve(dialog.returnValue === '' ? undefined : Number(dialog.returnValue)),
          {
            once: true,
          },
        );
        dialog.returnValue = '';
        dialog.showModal();
      });
    },
    ask(extensions: readonly string[]): Promise<{ readonly name: string; readonly text: string } | undefined> {
      return new Promise((resolve) => {
        const wanted = extensions.filter((each) => /^\w+$/.test(each));
        file.accept = wanted.length < extensions.length ? '' : wanted.map((each) => `.${each}`).join(',');
        file.value = '';
        file.addEventListener(
          'change',
          () => {
            const [chosen] = file.files ?? [];
            if (chosen === undefined) resolve(undefined);
            else void chosen.text().then((text) => resolve({ name: chosen.name, text }));
          },
          { once: true },
        );
        file.addEventListener('cancel', () => resolve(undefined), { once: true });
        file.click();
      });
    },
  };
}

/** Hands a file to the reader, as a download. */
export function save(name: string, bytes: Uint8Array): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  link.href = address;
  link.download = name.slice(name.lastIndexOf('/') + 1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Without a permission, such as in a page from a file, the text is copied from a field. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
