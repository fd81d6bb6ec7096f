import type { Expression } from '../syntax.ts';
import type { Faults } from './faults.ts';
import { comparison, isRange, strength } from './operators.ts';
import type { Operator } from './operators.ts';
import type { Places } from './places.ts';

interface Operand {
  readonly value: Expression;
  /** Operators and brackets on the longest path down. */
  readonly height: number;
}

interface Waiting extends Operand {
  /** The operand's right neighbour; `i` is its place in the stream. */
  readonly operator: Operator;
  readonly i: number;
}

/**
 * Builds the tree of `a + b * c …` from left to right without recursion. A tree that gets higher than `deepest` is
 * reported once and cut there, so that no later walk down the tree runs out of stack.
 */
export class Chain {
  private readonly waiting: Waiting[] = [];
  private last: Operand;
  private cut = false;
  private readonly faults: Faults;
  private readonly places: Places;
  private readonly deepest: number;

  constructor(first: Expression, height: number, faults: Faults, places: Places, deepest: number) {
    this.last = { value: first, height };
    this.faults = faults;
    this.places = places;
    this.deepest = deepest;
  }

  add(operator: Operator, i: number, value: Expression, height: number): void {
    this.reduce(strength(operator));
    this.waiting.push({ ...this.beside(i), operator, i });
    this.last = { value, height };
  }

  /**
   * The left operand of the operator at `i`. A missing operand gets the place right before the operator, because nodes begin at a
   * token.
   */
  private beside(i: number): Operand {
    const { value, height } = this.last;
    if (value.kind !== 'missing') return this.last;
    const { first, start } = this.places.node(i, i + 1);
    return { value: { kind: 'missing', first, last: first - 1, start, end: start }, height };
  }

  finish(): Operand {
    this.reduce(0);
    return this.last;
  }

  private reduce(least: number): void {
    for (
      let top = this.waiting.at(-1);
      top !== undefined && strength(top.operator) >= least;
      top = this.waiting.at(-1)
    ) {
      this.waiting.pop();
      this.last = this.join(top, this.last);
    }
  }

  private join(left: Waiting, right: Operand): Operand {
    const height = 1 + Math.max(left.height, right.height);
    if (height > this.deepest) {
      if (!this.cut)
        this.faults.report(
          left.i,
          `More than ${this.deepest} operators and brackets depend on each other here; name parts of the expression with "let".`,
        );
      this.cut = true;
      return left;
    }
    const { value, operator, i } = left;
    if (strength(operator) === comparison && value.kind === 'binary' && isComparison(value.operator)) {
      this.faults.report(i, `Expected one comparison, found a second one at "${operator}".`);
    }
    const span = { first: value.first, last: right.value.last, start: value.start, end: right.value.end };
    if (isRange(operator)) {
      return { value: { kind: 'range', ...span, from: value, to: right.value, exclusive: operator === '..<' }, height };
    }
    const operatorToken = this.places.node(i, i + 1).first;
    return { value: { kind: 'binary', ...span, operator, operatorToken, left: value, right: right.value }, height };
  }
}

export const isComparison = (operator: Operator): boolean => strength(operator) === comparison;
