/** Scenes of the page, each made of a real example by what a reader does: for pictures, and to check every state. */
import { type Editor, type TextFile, exampleFile, openEditor } from './editor.ts';
import { type Preview, settled } from './harness.ts';

export interface Scene {
  readonly name: string;
  readonly file: TextFile;
  /** Size at which it is shown in the documentation. */
  readonly size: readonly [width: number, height: number];
  /** What is drawn first; default: the timeline. */
  readonly first?: string;
  readonly pipeline?: string;
  /** What the reader does then. */
  act?(preview: Preview, editor: Editor): Promise<void>;
}

/** Opens a scene. The editor answers until it is closed. */
export async function enter(preview: Preview, scene: Scene): Promise<Editor> {
  const editor = await openEditor(preview, scene.file);
  await editor.show(scene.pipeline);
  if (scene.first === undefined) await preview.drawn();
  else await preview.page.locator(scene.first).waitFor({ state: 'visible' });
  await editor.answer();
  await scene.act?.(preview, editor);
  await editor.answer();
  return editor;
}

const quickstart = exampleFile('quickstart.pipe');

/** The quickstart with other words in it. */
function changed(...changes: readonly (readonly [before: string, after: string])[]): TextFile {
  const text = changes.reduce((done, [before, after]) => {
    if (!done.includes(before)) throw new Error(`The quickstart has no "${before}".`);
    return done.replace(before, after);
  }, quickstart.text);
  return exampleFile('quickstart.pipe', text);
}

const waiting = changed(
  ['schedule     = 1f1b', 'schedule     = mine'],
  ['microbatches = 8 in 1..64', 'microbatches = 2 in 2..2'],
  [
    'pipeline train',
    `schedule mine {
  row(0) = F[0], F[1], B[0], B[1]
  row(1) = F[0], B[0], F[1], B[1]
  row(2) = F[1], F[0], B[0], B[1]
  row(3) = F[0], B[0], F[1], B[1]
}

pipeline train`,
  ],
  ['expect train { bubble < 30%  peak_memory < 15GiB }', ''],
);

/** Transfers that take half as long as a forward, and memory that is nearly full. */
const slow = changed(['output = 256KiB', 'output = 150MB'], ['8 in 1..64', '12 in 1..64'], ['16GiB', '6GiB']);

/** A million operations on 256 devices. */
const large = changed(
  ['block[8]', 'block[256]'],
  ['gpu[4] = v100', 'node[32] {\n    gpu[8] = v100\n    link   = 235GB/s + 3us\n  }'],
  ['memory = 16GiB', 'memory = 80GiB'],
  ['activation = 512MiB', 'activation = 256MiB'],
  ['8 in 1..64', '2048 in 1..4096'],
  ['balance(4)', 'balance(256)'],
  ['expect train { bubble < 30%  peak_memory < 15GiB }', ''],
);

export const focusGrid = (preview: Preview): Promise<void> =>
  preview.page.locator('.grid [tabindex="0"]').first().focus();

/** Presses keys at the timeline. */
export async function press(preview: Preview, ...keys: readonly string[]): Promise<void> {
  await focusGrid(preview);
  for (const key of keys) await preview.page.keyboard.press(key);
  await settled(preview.page);
}

const toBackward = ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'];

export const scenes: readonly Scene[] = [
  {
    name: 'panel',
    file: quickstart,
    size: [420, 900],
    act: async (preview) => {
      await press(preview, ...toBackward);
      await press(preview, 'Enter');
    },
  },
  { name: 'docked', file: quickstart, size: [720, 585] },
  {
    name: 'search',
    file: quickstart,
    size: [700, 520],
    act: async (preview) => {
      await press(preview, '/');
      await preview.page.locator('.search input').fill('mb:5 kind:B');
      await preview.page.keyboard.press('Enter');
    },
  },
  {
    name: 'typing',
    file: quickstart,
    size: [700, 520],
    act: async (preview) => {
      await preview.post({
        type: 'broken',
        uri: quickstart.uri,
        version: 2,
        message: 'Unknown name "1f2b".',
        range: { start: { line: 22, character: 17 }, end: { line: 22, character: 21 } },
      });
      await preview.page.locator('header .notice').waitFor({ state: 'visible' });
    },
  },
  { name: 'selection', file: quickstart, size: [700, 520], act: (preview) => press(preview, ...toBackward) },
  { name: 'critical-path', file: quickstart, size: [700, 520], act: (preview) => press(preview, 'c') },
  { name: 'microbatches', file: quickstart, size: [700, 520], act: (preview) => press(preview, '2') },
  {
    name: 'versions',
    file: exampleFile('systems/pipedream.pipe'),
    size: [1100, 640],
    act: (preview) => press(preview, '4', ...toBackward, 'ArrowRight', 'ArrowRight'),
  },
  {
    name: 'why',
    file: slow,
    size: [1100, 820],
    act: async (preview, editor) => {
      await press(preview, ']', ']', ']', 'y');
      await preview.page.locator('.side ol').waitFor();
      await editor.answer();
      await press(preview, 'k');
      await preview.page.locator('.side .peak table').waitFor();
    },
  },
  {
    name: 'race',
    file: changed(['= 16GiB', '= 6GiB']),
    size: [1100, 820],
    act: async (preview, editor) => {
      await press(preview, 'x');
      await editor.answer();
      await preview.page.waitForFunction(() => {
        const rows = document.querySelectorAll('.race-row:has(.race-name)');
        return rows.length > 2 && !Array.from(rows).some(({ textContent }) => textContent?.includes('Simulating'));
      });
    },
  },
  {
    name: 'chart',
    file: quickstart,
    size: [1100, 640],
    act: async (preview, editor) => {
      await preview.page.getByRole('button', { name: 'Chart over microbatches' }).click();
      await editor.answer();
    },
  },
  { name: 'deadlock', file: waiting, size: [760, 720], first: '.stall' },
  { name: 'empty', file: exampleFile('quickstart.pipe', ''), size: [700, 600], first: '.empty-file' },
  {
    name: 'broken',
    file: changed(['schedule     = 1f1b', 'schedule     = 1f2b']),
    size: [700, 480],
    first: '.message',
  },
  {
    name: 'workers',
    file: exampleFile('systems/hetpipe.pipe'),
    size: [1100, 640],
    act: async (preview) => {
      await preview.page.locator('.figure.job').first().click();
      await preview.page.locator('.jobs').getByRole('button', { name: 'All workers' }).first().click();
    },
  },
  { name: 'big', file: large, size: [1100, 800] },
];
