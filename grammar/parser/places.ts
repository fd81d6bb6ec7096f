import type { Landmarks } from './landmarks.ts';
import type { Tokens } from '../lexer.ts';
import type { Comment, NodeBase, Token } from '../syntax.ts';

const beyond: Token = { kind: 'punctuation', text: '', start: 0, end: 0 };

/** Turns stretches of the token stream into the places that nodes carry. */
export class Places {
  private readonly tokens: readonly Token[];
  private readonly comments: readonly Comment[];
  private readonly text: string;
  private readonly landmarks: Landmarks;
  private comment = 0;

  constructor(text: string, source: Tokens, landmarks: Landmarks) {
    this.text = text;
    this.tokens = source.tokens;
    this.comments = source.comments;
    this.landmarks = landmarks;
  }

  /** The node of the stream's tokens from `from` to before `to`; empty, after the token before, where there are none. */
  node(from: number, to: number): NodeBase {
    if (to <= from) {
      const last = this.landmarks.place(from - 1);
      const end = this.tokens[last]?.end ?? 0;
      return { first: last + 1, last, start: end, end };
    }
    const first = this.landmarks.place(from);
    const last = this.landmarks.place(to - 1);
    return { first, last, start: this.tokens[first]?.start ?? 0, end: this.tokens[last]?.end ?? 0 };
  }

  /** The token of the tree at `place`. */
  token(place: number): Token {
    return this.tokens[place] ?? beyond;
  }

  /** The `///` lines right above token `i` of the stream. Asked for in order of position only. */
  documentation(i: number): string | undefined {
    const { comments } = this;
    if (comments.length === 0) return undefined;
    const place = this.landmarks.place(i);
    const start = this.tokens[place]?.start ?? this.text.length;
    while (this.comment < comments.length && (comments[this.comment]?.end ?? 0) <= start) this.comment++;
    const after = this.tokens[place - 1]?.end ?? -1;
    const above = comments[this.comment - 1];
    if (above === undefined || above.start < after) return undefined;
    const lines: string[] = [];
    let below = start;
    for (let at = this.comment - 1; at >= 0; at--) {
      const comment = comments[at];
      if (comment === undefined || comment.kind !== 'doc' || comment.start < after) break;
      if (lineBreaks(this.text, comment.end, below) !== 1) break;
      const trails =
        after >= 0 && lineBreaks(this.text, Math.max(after, comments[at - 1]?.end ?? 0), comment.start) === 0;
      if (trails) break;
      lines.push(comment.text.slice(comment.text.startsWith('/// ') ? 4 : 3));
      below = comment.start;
    }
    return lines.length === 0 ? undefined : lines.toReversed().join('\n');
  }
}

/** Line ends between two offsets, of which no more than two are counted. */
const lineBreaks = (text: string, from: number, to: number): number => {
  let found = 0;
  for (let i = from; i < to && found < 2; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) found++;
  }
  return found;
};
