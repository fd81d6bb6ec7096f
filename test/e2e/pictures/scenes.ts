/** What the documentation shows of the real editor, on the files of its tutorial. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { figuresOf } from '../../browser/pictureFigures.ts';
import { type Step, stepsOf, written } from '../../unit/docs/lessons.ts';
import type { Desk } from '../journeys/desk.ts';
import type { Frame } from './animation.ts';

export interface EditorScene {
  /** Of the picture: `docs/images/NAME`. */
  readonly name: string;
  readonly file: string;
  /** Text of the file when the editor opens it. */
  readonly text: string;
  /** Texts whose figures the picture shows. */
  readonly shows: readonly string[];
  readonly size: readonly [width: number, height: number];
  /** A folder of the repository to open. Default: one with the file alone. */
  readonly folder?: string;
  /** A screenshot, or the frames of an animation. */
  take(desk: Desk): Promise<Buffer | readonly Frame[]>;
}

const lesson = 'docs/learn/first-15-minutes.md';
/** `first.pipe` of the tutorial after the step whose text holds all these words. */
function lessonFile(...words: readonly string[]): string {
  let text: string | undefined;
  const isFile = (step: Step): step is Extract<Step, { text: string }> => 'text' in step && step.name === 'first.pipe';
  for (const step of stepsOf(lesson).filter(isFile)) {
    text = written(text, step);
    if (words.every((word) => text?.includes(word))) return text;
  }
  throw new Error(`${lesson} has no step with ${words.join(', ')}.`);
}

const simple = lessonFile('schedule ');
const [beforeTyping] = simple.split(/(?<=balance\(4\)\n)/);
const optimizer = '  optimizer    = megatron_bf16\n';
const withOptimizer = lessonFile('megatron_bf16');
const tooSmall = lessonFile('memory = 8GiB');
const withExpectation = lessonFile('expect');
/** The file with another policy, cut into another number of stages. */
const under = (text: string, policy: string, stages = 4, more = ''): string =>
  text
    .replace(/(schedule +=) \w+/, `$1 ${policy}`)
    .replace('balance(4)', `balance(${stages})`)
    .replace(/^( +optimizer)/m, `${more}$1`);
/** Of the policies that are fastest under the completion and in the comparison, and those of the tutorial. */
const fastest = (text: string): readonly string[] => [
  under(text, 'zb_v', 8),
  under(text, 'interleaved_zb', 8),
  under(text, 'v_half', 8),
  ...['zb_h2', 'zb_h1', 'gpipe', '1f1b'].map((policy) => under(text, policy)),
];

const shot = (page: Page): Promise<Buffer> => page.screenshot({ animations: 'disabled' });

/** Words appear as a person types them. */
async function typed(desk: Desk, text: string, frames: Frame[], milliseconds = 250): Promise<void> {
  for (const keys of text.match(/[^]{1,5}/g) ?? []) {
    await desk.page.keyboard.type(keys, { delay: 20 });
    await desk.page.waitForTimeout(60);
    frames.push({ screenshot: await shot(desk.page), milliseconds });
  }
}

/** The last frame again, once the figures hold a text. */
async function pause(desk: Desk, figure: string, frames: Frame[], milliseconds: number): Promise<void> {
  await desk.shows(figure);
  await desk.page.waitForTimeout(700);
  frames.push({ screenshot: await shot(desk.page), milliseconds });
}

const quickstart = readFileSync(path.join(import.meta.dirname, '../../../examples/quickstart.pipe'), 'utf8');

export const editorScenes: readonly EditorScene[] = [
  {
    name: 'editor.png',
    file: 'quickstart.pipe',
    text: quickstart,
    shows: [quickstart],
    size: [1600, 960],
    folder: 'examples',
    async take(desk) {
      await desk.openWithPreview('quickstart.pipe');
      await desk.page.locator('.codelens-decoration', { hasText: 'iteration' }).waitFor();
      await desk.drawn();
      await desk.shows('ms');
      await desk.goToEndOf('pipeline train');
      await desk.page.mouse.move(2, 300);
      // Overlays fade for a fifth of a second after the pointer has left.
      await desk.page.waitForTimeout(1000);
      return shot(desk.page);
    },
  },
  {
    name: 'editor-typing.webp',
    file: 'first.pipe',
    text: `${beforeTyping}}\n`,
    shows: [simple, withOptimizer, under(withOptimizer, 'zb_h1')],
    size: [1000, 440],
    async take(desk) {
      const { page } = desk;
      await desk.openWithPreview('first.pipe');
      await desk.goToEndOf('balance(4)');
      await page.mouse.move(300, 2);
      await page.waitForTimeout(1500);
      const frames: Frame[] = [{ screenshot: await shot(page), milliseconds: 1000 }];
      await typed(desk, '\nschedule     = 1f1b', frames);
      await pause(desk, '264.2 ms', frames, 1500);
      await typed(desk, `\n${optimizer.trim()}`, frames);
      await pause(desk, '8.5 GiB', frames, 1500);
      await desk.goToEndOf('schedule ');
      await page.mouse.move(300, 2);
      await page.keyboard.press('Control+Backspace');
      await typed(desk, 'zb_h1', frames);
      await pause(desk, '216.2 ms', frames, 3000);
      return frames;
    },
  },
  {
    name: 'editor-fix.webp',
    file: 'first.pipe',
    text: tooSmall,
    shows: [
      tooSmall,
      under(tooSmall, 'v_half', 8),
      under(tooSmall, 'v_min', 8),
      under(tooSmall, '1f1b', 4, '  recompute = full\n'),
    ],
    size: [1100, 400],
    async take(desk) {
      await desk.find('first.pipe');
      await desk.squiggle.first().waitFor();
      await desk.goToEndOf('balance(4)');
      await desk.page.keyboard.press('ArrowLeft');
      await desk.quickFixes();
      // The list that opens at once has the fixes that were simulated by then.
      await desk.page.keyboard.press('Escape');
      await desk.page.waitForTimeout(4000);
      await desk.quickFixes();
      await desk.page.waitForTimeout(700);
      return shot(desk.page);
    },
  },
  {
    name: 'editor-completion.webp',
    file: 'first.pipe',
    text: withOptimizer,
    shows: fastest(withOptimizer),
    size: [1100, 400],
    async take(desk) {
      await desk.find('first.pipe');
      await desk.page.locator('.codelens-decoration', { hasText: 'iteration' }).waitFor();
      await desk.retype('schedule ', '1f1b'.length, '');
      await desk.page.keyboard.press('Control+Space');
      await desk.page.locator('.suggest-widget .monaco-list-row').first().waitFor();
      await desk.page.waitForTimeout(1500);
      return shot(desk.page);
    },
  },
  {
    name: 'editor-compare.webp',
    file: 'first.pipe',
    text: withExpectation,
    shows: fastest(withExpectation),
    size: [1400, 640],
    async take(desk) {
      const { page, preview } = desk;
      await desk.openWithPreview('first.pipe');
      await desk.drawn();
      await preview.getByRole('button', { name: 'Compare', exact: true }).click();
      await preview.locator('.race-row.winner').waitFor();
      await preview.getByText('Simulating …').first().waitFor({ state: 'hidden' });
      await page.mouse.move(300, 2);
      // Rows find their places while others are still simulated.
      await page.waitForTimeout(4000);
      return shot(page);
    },
  },
];

/** The figures that the picture shows, as the engine has them today. */
export const editorFigures = ({ shows }: EditorScene): string =>
  shows.map((text) => figuresOf({ uri: 'file:///first.pipe', text })).join(' | ');
