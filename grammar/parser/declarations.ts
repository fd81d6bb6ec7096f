import type { IOrAlt, TokenType } from 'chevrotain';
import { clip } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import type {
  Block,
  BlockDeclaration,
  Declaration,
  Expression,
  ImportDeclaration,
  LetDeclaration,
  Name,
  ParamDeclaration,
  Skipped,
  StringLiteral,
  SyntaxFault,
} from '../syntax.ts';
import * as types from '../tokens.ts';
import { EntryParser } from './entries.ts';

const declaration = 'a declaration such as "model name { … }"';

/** The whole grammar. One instance reads one text after the other. */
export class FileParser extends EntryParser {
  constructor(options: { readonly skipValidations: boolean }) {
    super(options.skipValidations);
    this.performSelfAnalysis();
  }

  /** Declarations and faults of the tokens of a text; keeps at most `faults` faults, nests at most `depth` deep. */
  read(
    text: string,
    source: Tokens,
    faults: number,
    depth: number,
  ): { readonly declarations: readonly Declaration[]; readonly errors: readonly SyntaxFault[] } {
    this.prepare(text, source, faults, depth);
    const declarations = this.file();
    const errors = this.faults.all();
    this.release();
    return { declarations, errors };
  }

  readonly file = this.RULE('file', (): Declaration[] => {
    const declarations: Declaration[] = [];
    const alternatives: IOrAlt<unknown>[] = [
      { ALT: () => declarations.push(this.SUBRULE(this.importDeclaration)) },
      { ALT: () => declarations.push(this.SUBRULE(this.paramDeclaration)) },
      { ALT: () => declarations.push(this.SUBRULE(this.letDeclaration)) },
      { ALT: () => declarations.push(this.SUBRULE(this.blockDeclaration)) },
      { ALT: () => this.CONSUME(types.Semicolon) },
      { ALT: () => declarations.push(this.SUBRULE(this.strayInFile)) },
    ];
    this.allowed = declaration;
    this.MANY(() => this.OR(alternatives));
    return declarations;
  });

  readonly strayInFile = this.RULE('strayInFile', (): Skipped => {
    const { marks } = this;
    const from = this.next;
    if (marks.is(from, types.RightBrace))
      this.faults.say(from, 'Expected a declaration, found "}" although no block is open.');
    else this.faults.unexpected(from, this.allowed);
    this.allowed = declaration;
    this.OR([
      { ALT: () => this.CONSUME(types.Name) },
      { ALT: () => this.CONSUME(types.In) },
      { ALT: () => this.CONSUME(types.Step) },
      { ALT: () => this.CONSUME(types.From) },
      { ALT: () => this.CONSUME(types.RightBrace) },
      { ALT: () => this.CONSUME(types.Stray) },
    ]);
    let i = Math.max(from, marks.partner(from)) + 1;
    while (i < marks.count && !marks.resumesFile(i)) i = Math.max(i, marks.partner(i)) + 1;
    this.jump(i);
    return { kind: 'skipped', ...this.places.node(from, this.next) };
  });

  readonly importDeclaration = this.RULE('importDeclaration', (): ImportDeclaration => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Import);
    let names: readonly Name[] | undefined;
    let path: StringLiteral | undefined;
    if (this.sees(types.LeftBrace)) {
      this.OPTION(() => (names = this.SUBRULE(this.importedNames)));
      if (this.sees(types.From)) this.CONSUME(types.From);
      else this.faults.missing(this.next, '"from" after the imported names');
    }
    if (this.RECORDING_PHASE || this.marks.isText(this.next)) {
      const i = this.next;
      this.OPTION1(() => this.CONSUME(types.Text));
      path = this.literal(i);
    } else {
      const after = this.marks.shown(this.next - 1);
      this.faults.missing(this.next, `a path such as "hardware.pipe" after "${after}"`);
    }
    this.allowed = declaration;
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'import', first, last, start, end, doc, names, path };
  });

  readonly importedNames = this.RULE('importedNames', (): Name[] => {
    const open = this.next;
    const { marks } = this;
    const names: Name[] = [];
    this.CONSUME(types.LeftBrace);
    let first = true;
    let ended = marks.is(this.next, types.RightBrace);
    this.MANY({
      GATE: () => !ended,
      DEF: () => {
        if (!first && !this.sees(types.Comma)) this.faults.unexpected(this.next, '"," or "}"');
        this.OPTION({ GATE: () => !first, DEF: () => this.CONSUME(types.Comma) });
        const i = this.next;
        if (this.RECORDING_PHASE || (marks.isWord(i) && !this.endsNames(i))) {
          this.OPTION1(() => this.CONSUME(types.Word));
          names.push(this.name(i));
        } else this.faults.missing(i, `a name after "${marks.shown(i - 1)}"`);
        first = false;
        ended = this.endsNames(this.next);
      },
    });
    if (this.sees(types.RightBrace)) this.CONSUME(types.RightBrace);
    else this.faults.unclosed(this.next, open, '}', 'the imported names');
    return names;
  });

  private endsNames(i: number): boolean {
    const { marks } = this;
    if (this.RECORDING_PHASE) return false;
    if (marks.is(i, types.From)) return marks.isText(i + 1);
    return !(marks.isWord(i) || marks.is(i, types.Comma)) || marks.resumesFile(i);
  }

  readonly paramDeclaration = this.RULE('paramDeclaration', (): ParamDeclaration => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Param);
    const { name, value } = this.SUBRULE(this.binding, { ARGS: ['param'] });
    let range: Expression | undefined;
    let step: Expression | undefined;
    this.allowed = 'a new declaration';
    if (value !== undefined) this.allowed = 'an operator, "in" or a new declaration';
    if (this.sees(types.In)) {
      this.CONSUME(types.In);
      range = this.beginsValue() ? this.SUBRULE(this.expression) : this.missing('in');
      this.allowed = '"step" or a new declaration';
    }
    if (this.sees(types.Step)) {
      this.CONSUME(types.Step);
      step = this.beginsValue() ? this.SUBRULE1(this.expression) : this.missing('step');
      this.allowed = 'a new declaration';
    }
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'param', first, last, start, end, doc, name, value, range, step };
  });

  readonly letDeclaration = this.RULE('letDeclaration', (): LetDeclaration => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Let);
    const { name, value } = this.SUBRULE(this.binding, { ARGS: ['let'] });
    this.allowed = 'an operator or a new declaration';
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'let', first, last, start, end, doc, name, value };
  });

  /** `name = value`, any of which may be missing. */
  readonly binding = this.RULE('binding', (keyword: string): { readonly name?: Name; readonly value?: Expression } => {
    const name = this.declaredName(keyword, types.Equals);
    let value: Expression | undefined;
    const assigned = this.sees(types.Equals);
    if (assigned) this.OPTION1(() => this.CONSUME(types.Equals));
    else
      this.faults.missing(this.next, `"=" after "${name === undefined ? keyword : `${keyword} ${clip(name.text)}`}"`);
    if (assigned || (this.marks.begins(this.next) && !this.marks.isWord(this.next))) {
      value = this.beginsValue() ? this.SUBRULE(this.expression) : this.missing('=');
    }
    return { name, value };
  });

  private declaredName(keyword: string, next: TokenType): Name | undefined {
    const i = this.next;
    const { marks } = this;
    if (!this.RECORDING_PHASE && (!marks.isWord(i) || (marks.isDeclaration(i) && !marks.is(i + 1, next)))) {
      this.faults.missing(i, `a name after "${keyword}"`);
      return undefined;
    }
    this.OPTION(() => this.CONSUME(types.Word));
    return this.name(i);
  }

  readonly blockDeclaration = this.RULE('blockDeclaration', (): BlockDeclaration => {
    const from = this.next;
    const { marks } = this;
    const doc = this.places.documentation(from);
    this.CONSUME(types.BlockKeyword);
    const keyword = this.name(from);
    const name = this.declaredName(keyword.text, types.LeftBrace);
    const what = name === undefined ? keyword.text : `${keyword.text} ${clip(name.text)}`;
    let body: Block | undefined;
    this.allowed = declaration;
    if (!this.sees(types.LeftBrace)) this.faults.missing(this.next, `"{" after "${what}"`);
    // A forgotten "{" before what is evidently an entry costs nothing more.
    if (this.sees(types.LeftBrace) || (marks.isEntry(this.next) && !marks.isDeclaration(this.next))) {
      const content = keyword.text === 'expect' ? 'checks' : 'entries';
      body = this.SUBRULE(this.body, { ARGS: [what, content] });
    }
    this.allowed = declaration;
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'block', first, last, start, end, doc, keyword, name, body };
  });
}
