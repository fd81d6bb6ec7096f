/** What a reader does in the pictures of `docs/preview.md` that stand beside how the page was before: one scene for each. */
import { exampleFile } from './editor.ts';
import type { Preview } from './harness.ts';
import { type Scene, press } from './scenes.ts';
import type { ThemeClass } from './themeColours.ts';

export interface Journey extends Scene {
  readonly theme: ThemeClass;
}

const docked = [700, 800] as const;
const panel = [416, 796] as const;
const dark: ThemeClass = 'vscode-dark';
const light: ThemeClass = 'vscode-light';

const quickstart = exampleFile('quickstart.pipe');
const llama = exampleFile('llama3-70b.pipe');
const exchanging = exampleFile('data-parallel.pipe');

const declared = `import { llama3_1_405b } from "std:models"

import { dgx_h100 } from "std:clusters"
`;

/** Sixteen stages on two nodes: too few. */
const tooSmall = exampleFile(
  'quickstart.pipe',
  `${declared}
pipeline train {
  model        = llama3_1_405b
  devices      = dgx_h100
  microbatches = 32
  stages       = balance(16)
  schedule     = 1f1b
  optimizer    = adam_mixed
}
`,
);

/** Sixteen stages, each on a node of its own. */
const sixteen = exampleFile(
  'quickstart.pipe',
  `/// 405B on 1,024 H100: tp8 pp16 dp8 seq 8192
import { llama3_1_405b } from "std:models"
import { dgx_h100 } from "std:clusters" with { nodes = 128 }
model m { from = llama3_1_405b }
pipeline train {
  model = m
  devices = dgx_h100
  tensor = 8
  sequence_parallel = true
  data = 8
  global_batch = 256
  stages = balance(16)
  schedule = 1f1b
  optimizer = megatron_bf16(shard = distributed)
}
`,
);

/** Rests the pointer on the first row, in a share of its time. */
async function rest({ page }: Preview, share: number): Promise<void> {
  const box = await page.locator('.timeline').boundingBox();
  if (box === null) throw new Error('There is no timeline.');
  await page.mouse.move(box.x + 96 + (box.width - 106) * share, box.y + 50);
}

export const journeys: readonly Journey[] = [
  {
    name: 'list',
    file: llama,
    size: docked,
    theme: light,
    act: ({ page }) => page.locator('.identity vscode-dropdown').click(),
  },
  {
    name: 'menu',
    file: llama,
    size: docked,
    theme: dark,
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.locator('.menu-item', { hasText: 'Sensitivity' }).click();
      await page.locator('.tornado-rows button').nth(9).waitFor();
    },
  },
  {
    name: 'why-card',
    file: quickstart,
    size: panel,
    theme: dark,
    act: (preview) => press(preview, ']', 'Enter', 'y'),
  },
  {
    name: 'why-16',
    file: sixteen,
    size: panel,
    theme: light,
    act: (preview) => press(preview, ']', 'y'),
  },
  {
    name: 'why-lanes',
    file: exchanging,
    pipeline: 'front_first',
    size: docked,
    theme: light,
    act: (preview) => press(preview, ']', 'y'),
  },
  { name: 'detail', file: llama, size: [1402, 800], theme: dark },
  {
    name: 'loupe',
    file: llama,
    size: docked,
    theme: dark,
    act: async (preview) => {
      await rest(preview, 0.42);
      await preview.page.locator('.loupe').waitFor({ state: 'visible' });
      await preview.page.locator('.tooltip').waitFor({ state: 'visible' });
    },
  },
  {
    name: 'cursor',
    file: tooSmall,
    size: [520, 794],
    theme: light,
    act: (_, editor) => editor.cursor('balance'),
  },
  {
    name: 'slider',
    file: quickstart,
    size: docked,
    theme: dark,
    act: async ({ page }) => {
      await page.locator('.param input[type=range]').fill('31');
      await page.locator('.param vscode-button', { hasText: 'Apply' }).waitFor();
    },
  },
  {
    name: 'starter',
    file: exampleFile('quickstart.pipe', declared),
    first: '.message',
    size: [520, 794],
    theme: light,
    act: async (preview, editor) => {
      await preview.page.locator('.message vscode-button, .message button').first().click();
      await editor.answer();
      await preview.drawn();
    },
  },
  {
    name: 'bound',
    file: quickstart,
    size: docked,
    theme: light,
    act: async (preview, editor) => {
      await preview.post({ type: 'findOrder' });
      await editor.answer();
    },
  },
  { name: 'exposed', file: exchanging, pipeline: 'at_end', size: docked, theme: dark },
];
