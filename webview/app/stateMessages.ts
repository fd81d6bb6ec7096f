/** Why there is nothing to draw, and what one can do about it. */
import type { FromPage, ToPage } from '../protocol/messages.ts';
import type { Range } from '../protocol/requests.ts';
import type { Message } from '../view/panels/message.ts';

type Post = (message: FromPage) => void;

const lineAction = ({ start: { line, character } }: Range, post: Post): Message['actions'][number] => ({
  label: `Go to line ${line + 1}`,
  run: () => post({ type: 'goto', line, character }),
});

/** The text has an error and no timeline was drawn of it yet. */
export const brokenMessage = (message: string, range: Range | undefined, post: Post): Message =>
  range === undefined
    ? { title: message, details: [], actions: [] }
    : {
        title: `Nothing to draw yet: line ${range.start.line + 1} has an error.`,
        details: [message],
        actions: [lineAction(range, post)],
      };

export const impossibleMessage = (reasons: readonly string[]): Message => ({
  title: 'Nothing to draw: this pipeline cannot run.',
  details: reasons,
  actions: [],
});

export const unplannedMessage = (name: string, message: string, range: Range | undefined, post: Post): Message => ({
  title: `Nothing to draw: ${name} has no order for this shape.`,
  details: [message],
  actions: range === undefined ? [] : [lineAction(range, post)],
});

export const failedMessage = (reason: string): Message => ({
  title: 'Nothing to draw: the preview could not simulate this pipeline.',
  details: [reason],
  actions: [],
});

/** `docked`: the preview cannot be closed from the page. */
export const goneMessage = (
  { title, renamed }: Extract<ToPage, { type: 'gone' }>,
  docked: boolean,
  post: Post,
): Message => ({
  title: `${title} was renamed or deleted.`,
  details: renamed === undefined ? [] : [`${renamed} has its text.`],
  actions: [
    ...(renamed === undefined ? [] : [{ label: 'Open the renamed file', run: () => post({ type: 'openRenamed' }) }]),
    ...(docked ? [] : [{ label: 'Close', run: () => post({ type: 'close' }) }]),
  ],
});

export function stoppedMessage(message: string, post: Post): Message {
  const [title, details] = splitSentence(message);
  return { title, details, actions: [{ label: 'Restart', run: () => post({ type: 'restart' }) }] };
}

export const idleMessage: Message = { title: 'Open a .pipe file to see its timeline.', details: [], actions: [] };

/** The first sentence, and the rest if there is any. */
function splitSentence(text: string): readonly [string, readonly string[]] {
  const end = text.indexOf('. ');
  return end < 0 ? [text, []] : [text.slice(0, end + 1), [text.slice(end + 2)]];
}
