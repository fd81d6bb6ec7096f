/** Scenes of the page, each made of a real example by what a reader does: for pictures, and to check every state. */
import { type Editor, type TextFile, exampleFile, openEditor } from './editor.ts';
import { patience } from '../host/patience.ts';
import { recordedPlan, recordedTraces } from './recordedPlan.ts';
import { exampleText } from '../support/example.ts';
import type { Browser } from './check.ts';
import { type OpenOptions, type Preview, settled } from './harness.ts';

export interface Scene {
  readonly name: string;
  readonly file: TextFile;
  /** Size at which it is shown in the documentation. */
  readonly size: readonly [width: number, height: number];
  /** What is drawn first; default: the timeline. */
  readonly first?: string;
  readonly pipeline?: string;
  /** A figure for print takes the place of the page: it knows neither themes nor widths of a panel. */
  readonly paper?: boolean;
  /** A picture in the light theme, too. */
  readonly light?: true;
  /** What the reader does then. */
  act?(preview: Preview, editor: Editor): Promise<void>;
}

/** Opens a scene. The editor answers until it is closed. */
export async function enter(preview: Preview, scene: Scene): Promise<Editor> {
  const editor = await openEditor(preview, scene.file);
  try {
    await editor.show(scene.pipeline);
    if (scene.first === undefined) await preview.drawn();
    else await preview.page.locator(scene.first).waitFor({ state: 'visible' });
    await editor.answer();
    await scene.act?.(preview, editor);
    if (scene.paper !== true) await editor.answer();
    return editor;
  } catch (error) {
    editor.close();
    throw error;
  }
}

/** Opens a scene for some work, and closes it also if that fails: a server that is left behind keeps the process alive. */
export async function visit(
  browser: Browser,
  scene: Scene,
  options: OpenOptions,
  work: (preview: Preview, editor: Editor) => Promise<void>,
): Promise<void> {
  const preview = await browser.open({ reducedMotion: true, ...options });
  try {
    const editor = await enter(preview, scene);
    try {
      await work(preview, editor);
      if (preview.problems.length > 0) throw new Error(`${scene.name}: ${preview.problems.join('\n')}`);
    } finally {
      editor.close();
    }
  } finally {
    await preview.close();
  }
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

/** The quickstart with rows of its own. */
const rowsOf = (row: string): TextFile =>
  changed(
    ['schedule     = 1f1b', 'schedule     = mine'],
    [
      'pipeline train',
      `schedule mine {
  let ahead   = F[0..<microbatches]
  let warm(d) = devices - d
  row(d)      = ${row}
}

pipeline train`,
    ],
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

/** An encoder of 64 equal towers, each on its device: their rows are the same at every moment. */
function towers(): TextFile {
  const numbers = Array.from({ length: 64 }, (_, index) => index);
  const layer = (name: string, after: string, forward: number): string =>
    `  layer ${name} {${after} forward = ${forward}ms  backward = ${2 * forward}ms  weights = 64MiB  activation = 128MiB  output = 1MiB }`;
  const text = `model encoder {
${layer('embed', '', 6)}
${numbers.map((number) => layer(`tower${number}`, ' after = embed ', 8)).join('\n')}
${layer('head', ` after = ${numbers.map((number) => `tower${number}`).join(', ')} `, 6)}
}

device card { memory = 8GiB }
cluster pod { gpu[66] = card  link = 100GB/s + 5us }

pipeline train {
  model        = encoder
  devices      = pod
  microbatches = 8
  schedule     = gpipe
  stage first { layers = embed }
${numbers.map((number) => `  stage s${number} { layers = tower${number} }`).join('\n')}
  stage last { layers = head }
}
`;
  return exampleFile('quickstart.pipe', text);
}

/** 1F1B with more warm-up than it needs. It is no order for fewer microbatches than that, and refuses three. */
const library = exampleFile(
  'quickstart.pipe',
  `/// One forward, one backward.
schedule mine {
  /// Forwards more than needed.
  param extra = 0 in 0..2
  require microbatches != 3
  let warm(d) = devices - d + extra
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches - warm(d)], F[warm(d)..<microbatches]), B[microbatches - warm(d)..<microbatches]
}
expect mine { over(devices = 1..6, microbatches = 1..12)  valid }
`,
);

/** The building block of 1F1B. */
const buildingBlock = exampleFile(
  'quickstart.pipe',
  `schedule block {
  period = 2
  slot(F, s) = s
  slot(B, s) = 2 * devices - 1 - s
}
expect block { over(devices = 1..4, microbatches = 1..8)  valid }
`,
);

/** Rows with a loss and a check on the last device, and a message after each microbatch. */
const operations = changed(
  ['schedule     = 1f1b', 'schedule     = mine'],
  [
    'pipeline train',
    `schedule mine {
  /// The loss of a microbatch.
  operation loss { time = 3ms  holds = 256MiB  after(j) = F[j]  before(j) = B[j] }
  operation norm { time = 2ms }
  operation log { time = 2ms }
  row(d) = F[0..<devices - d], each(j in 0..<microbatches, if(d == devices - 1, loss[j], []), B[j],
      norm[j], if(j + devices - d < microbatches, F[j + devices - d], [])), log[0]
}

pipeline train`,
  ],
  ['expect train { bubble < 30%  peak_memory < 15GiB }', ''],
);

/** Layers whose gradients replicas exchange, the front layer first and without a barrier. */
const exchanging = (devices: number, stages: number): TextFile =>
  exampleFile(
    'quickstart.pipe',
    `model toy {
  layer front  { forward = 1ms  backward = 2ms  weights = 10MB  output = 1MB }
  layer middle { forward = 1ms  backward = 2ms  weights = 20MB  output = 1MB }
  layer upper  { forward = 1ms  backward = 2ms  weights = 10MB  output = 1MB }
  layer back   { forward = 1ms  backward = 2ms  weights = 90MB }
}
device gpu { memory = 16GiB }
cluster box { gpu[${devices}] = gpu  link = 10GB/s }
pipeline train {
  model = toy  devices = box  microbatches = ${stages === 1 ? 1 : 4}  stages = balance(${stages})  schedule = 1f1b  data = 2
  sync = bytescheduler(partition = 10MB, credit = 10MB)  collective = ring(call = 0.2ms)
}
`,
  );

/** A link to the host that is too slow to hide all copies. */
const offloading = exampleFile(
  'schedules/pipeoffload.pipe',
  exampleFile('schedules/pipeoffload.pipe').text.replace('host = pcie4x16', 'host = 10GB/s'),
);

/** The pipeline of the example that is not searched, with a gap that a short search leaves. */
const shortening = exampleFile(
  'search.pipe',
  exampleText('search.pipe').split('pipeline searched')[0].replace('microbatches = 8 in', 'microbatches = 12 in'),
);

/** A search over settings of 70 billion parameters on 64 devices. */
const searching = exampleFile(
  'llama3-70b.pipe',
  `${exampleFile('llama3-70b.pipe').text}
search interleaved {
  tensor in [1, 2, 4, 8]
  pipeline in [1, 2, 4, 8, 16]
  schedule in [1f1b, interleaved_1f1b, zb_h1]
  chunks in [2, 4, 5]
  recompute in [none, selective, full]
  micro_batch in [1, 2]
  subject_to = peak_memory < 72GiB
}
`,
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
  {
    name: 'segment',
    file: rowsOf('take(warm(d), ahead), zip(B[0..<microbatches], drop(warm(d), ahead))'),
    size: [760, 620],
    act: async (preview, editor) => {
      await press(preview, ...toBackward, 'Enter');
      await editor.cursor('drop(warm');
    },
  },
  { name: 'missing', file: rowsOf('take(warm(d), ahead)'), size: [760, 560] },
  { name: 'selection', file: quickstart, size: [700, 520], act: (preview) => press(preview, ...toBackward) },
  { name: 'critical-path', file: quickstart, size: [700, 520], act: (preview) => press(preview, 'c') },
  { name: 'microbatches', file: quickstart, size: [700, 520], act: (preview) => press(preview, '2') },
  {
    name: 'versions',
    file: exampleFile('systems/pipedream.pipe'),
    size: [1100, 640],
    act: (preview) => press(preview, '4', ...toBackward, 'ArrowRight'),
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
    name: 'sensitivity',
    file: changed(['schedule     = 1f1b', 'schedule     = 1f1b\n  slow(device = 1) = 1.2']),
    size: [1100, 640],
    act: async (preview) => {
      await press(preview, 'v');
      await preview.page.locator('.tornado-rows button').first().waitFor();
    },
  },
  {
    name: 'jitter',
    file: exampleFile(
      'quickstart.pipe',
      `${changed(['schedule     = 1f1b', 'schedule     = 1f1b\n  jitter       = 5%']).text}
expect train { p95(iteration) < 275ms }
`,
    ),
    size: [1100, 640],
    act: async (preview) => {
      await preview.page.getByRole('button', { name: 'All figures' }).click();
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
    name: 'beside',
    file: quickstart,
    size: [1100, 640],
    act: async (preview, editor) => {
      const below = changed(['schedule     = 1f1b', 'schedule     = 1f1b\n  slow(device = 2) = 1.2']);
      await editor.beside({ ...below, uri: below.uri.replace('quickstart', 'slower') }, { pair: 1 });
      await preview.page.getByText('The first is').waitFor();
      await preview.page.keyboard.press('n');
    },
  },
  {
    name: 'run',
    file: recordedPlan(),
    size: [1200, 720],
    light: true,
    act: async (preview, editor) => {
      await editor.run(recordedTraces, { pair: 1 });
      await preview.page.locator('.beside-sentence').filter({ hasText: 'The run takes' }).waitFor();
    },
  },
  {
    name: 'order',
    file: shortening,
    size: [1100, 720],
    pipeline: 'heuristic',
    act: async (preview, editor) => {
      await preview.post({ type: 'findOrder' });
      await editor.answer();
      await preview.page.getByRole('button', { name: 'Show in the timeline' }).click();
      await preview.drawn();
      await preview.page.getByRole('button', { name: 'Show what changed' }).click();
    },
  },
  {
    name: 'plan',
    file: searching,
    size: [1100, 720],
    pipeline: 'interleaved',
    act: async (preview, editor) => {
      await preview.post({ type: 'plans', pipeline: 'interleaved' });
      await editor.answer();
      await preview.page.locator('.plan-certificate:not(:empty)').waitFor();
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
      // The job is simulated after the pipeline. The line of figures has no room for it in a narrow page.
      await preview.page.locator('.figure.job').first().waitFor({ state: 'attached' });
      await preview.page.getByRole('button', { name: 'All figures' }).click();
      await preview.page.locator('.jobs').getByRole('button', { name: 'All workers' }).first().click();
    },
  },
  { name: 'big', file: large, size: [1100, 800] },
  { name: 'folded', file: towers(), size: [1100, 520] },
  { name: 'dualpipe', file: exampleFile('systems/dualpipe.pipe'), size: [1100, 640] },
  {
    name: 'device',
    file: exampleFile('long-context.pipe'),
    size: [860, 700],
    act: async (preview) => {
      await press(preview, 'i');
      const items = preview.page.getByText('Memory at the peak');
      await items.evaluate((node) => node.scrollIntoView({ block: 'start' }));
    },
  },
  {
    name: 'operations',
    file: operations,
    size: [900, 620],
    act: async (preview) => {
      await press(preview, 'l');
      await preview.page.locator('.legend').waitFor({ state: 'visible' });
    },
  },
  { name: 'lanes', file: exchanging(4, 2), size: [1100, 640], act: (preview) => press(preview, 'j', 'ArrowRight') },
  { name: 'data-parallel', file: exchanging(2, 1), size: [900, 520] },
  { name: 'host', file: offloading, pipeline: 'all_away', size: [1100, 760], act: (preview) => press(preview, 'k') },
  {
    name: 'shapes',
    file: library,
    size: [760, 720],
    act: async (preview, editor) => {
      const cell = preview.page.getByRole('button', { name: '5 devices, 8 microbatches: passes' });
      // The page asks for what the tests said a moment after it has drawn, which a busy machine makes long.
      const until = Date.now() + patience(15_000);
      while (!(await cell.isVisible()) && Date.now() < until) {
        await settled(preview.page);
        await editor.answer();
      }
      await cell.click();
      await editor.answer();
    },
  },
  {
    name: 'slots',
    file: buildingBlock,
    size: [760, 720],
    act: async (preview, editor) => {
      await preview.page.locator('.stamp-handle[data-operation="0B"]').focus();
      for (let press = 0; press < 2; press += 1) await preview.page.keyboard.press('ArrowRight');
      await editor.answer();
      await preview.page.locator('.stamp-status', { hasText: 'Writes' }).waitFor();
    },
  },
  { name: 'table', file: quickstart, size: [700, 520], act: (preview) => press(preview, 't') },
  {
    name: 'export',
    file: quickstart,
    size: [704, 464],
    paper: true,
    act: async ({ page }, editor) => {
      const figures: string[] = [];
      for (const [width, memory] of [
        ['7in', true],
        ['3.4in', false],
      ] as const) {
        const made = await editor.export({ format: 'svg', width, memory });
        if (!('text' in made)) throw new Error(JSON.stringify(made));
        figures.push(`<img src="data:image/svg+xml;base64,${Buffer.from(made.text).toString('base64')}">`);
      }
      await page.goto('about:blank');
      await page.setContent(`<body style="margin:16px;background:#fff">${figures.join('<br><br>')}</body>`);
    },
  },
  {
    name: 'gone',
    file: quickstart,
    size: [700, 480],
    act: async (preview) => {
      await preview.post({
        type: 'gone',
        uri: quickstart.uri,
        title: 'quickstart.pipe',
        version: 2,
        renamed: 'first.pipe',
      });
      await preview.page.locator('.message').waitFor({ state: 'visible' });
    },
  },
  {
    name: 'stopped',
    file: quickstart,
    size: [700, 480],
    act: async (preview) => {
      const message = 'The language server has stopped. It ended 5 times in 3 minutes.';
      await preview.post({ type: 'stopped', uri: quickstart.uri, version: 2, message });
      await preview.page.locator('.message').waitFor({ state: 'visible' });
    },
  },
  {
    name: 'library',
    file: exampleFile('quickstart.pipe', quickstart.text.slice(0, quickstart.text.indexOf('pipeline train'))),
    size: [700, 480],
    first: '.message',
  },
];
