import { join } from 'node:path';
import { catalogue, type Code, codes } from '../../engine/findings/catalogue.ts';
import { type Command, usageFault } from '../command.ts';
import { nearest } from '../../engine/spelling.ts';
import { status } from '../status.ts';

/** `explain CODE`: the page of a diagnostic. */
export const explainCommand: Command = {
  spec: {
    name: 'explain',
    operands: 'CODE',
    summary: 'Explain a diagnostic: what it means, an example, how to fix it.',
    options: [],
    notes: [`Codes:\n${codes.map((code) => `  ${code.padEnd(26)} ${catalogue[code].summary}`).join('\n')}`],
  },
  async run(args, io) {
    const [code, ...more] = args.operands;
    if (code === undefined || more.length > 0)
      return usageFault(io, 'explain', 'It needs one code, such as memory/out-of-memory.');
    if (!isCode(code)) {
      const guess = nearest(code, codes);
      return usageFault(
        io,
        'explain',
        `Unknown code "${code}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}`,
      );
    }
    const page = io.readText(join(io.packageRoot, 'docs', 'diagnostics', `${code}.md`));
    await io.out('text' in page ? page.text : `# ${code}\n\n${catalogue[code].summary}.\n`);
    return status.fine;
  },
};

const isCode = (text: string): text is Code => Object.hasOwn(catalogue, text);
