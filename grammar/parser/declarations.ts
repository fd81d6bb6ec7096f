import type { IOrAlt, ParserMethod, TokenType } from 'chevrotain';
import { clip } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import type {
  Block,
  BlockDeclaration,
  BlockItem,
  Declaration,
  Expression,
  ImportDeclaration,
  LetDeclaration,
  Name,
  ParamDeclaration,
  Skipped,
  SyntaxFault,
} from '../syntax.ts';
import * as types from '../tokens.ts';
import { BlockParser } from './blocks.ts';

const declaration = 'a declaration such as "model name { … }"';

export interface ReadFile {
  readonly declarations: readonly Declaration[];
  /** In order of position. */
  readonly errors: readonly SyntaxFault[];
  /** For each declaration, whether no bracket was open before it. */
  readonly outside: readonly boolean[];
  /** The same for the end of the text. */
  readonly endsOutside: boolean;
  /** Brackets were nested too deep. That is reported once a text. */
  readonly tooDeep: boolean;
}

/** The whole grammar. One instance reads one text after the other. */
export class FileParser extends BlockParser {
  constructor(options: { readonly skipValidations: boolean }) {
    super(options.skipValidations);
    this.performSelfAnalysis();
  }

  /** Declarations and faults of the tokens of a text; keeps at most `faults` faults, nests at most `depth` deep. */
  read(text: string, source: Tokens, faults: number, depth: number): ReadFile {
    this.prepare(text, source, faults, depth);
    this.outside = [];
    const declarations = this.file();
    const { outside, tooDeep } = this;
    const read = {
      declarations,
      errors: this.faults.all(),
      outside,
      endsOutside: this.marks.isOutside(this.marks.count),
      tooDeep,
    };
    this.release();
    return read;
  }

  /** `outside` of the text that is read. */
  private outside: boolean[] = [];

  readonly file = this.RULE('file', (): readonly Declaration[] => {
    const declarations: Declaration[] = [];
    this.allowed = declaration;
    this.MANY(() => {
      const isOutside = this.marks.isOutside(this.next);
      const found = this.OR(this.declarations);
      if (found === undefined) return;
      declarations.push(found);
      this.outside.push(isOutside);
    });
    return declarations;
  });

  /** What a file holds. A new kind of declaration has its line here, its rule below, and its node in `syntax.ts`. */
  private readonly declarations: IOrAlt<Declaration | undefined>[] = [
    { ALT: () => this.SUBRULE(this.importDeclaration) },
    { ALT: () => this.SUBRULE(this.paramDeclaration) },
    { ALT: () => this.SUBRULE(this.letDeclaration) },
    { ALT: () => this.SUBRULE(this.blockDeclaration) },
    { ALT: () => this.SUBRULE(this.expectDeclaration) },
    { ALT: () => void this.CONSUME(types.Semicolon) },
    { ALT: () => this.strayBrace() },
    { ALT: () => this.stray(0, types.StrayOutsideBlocks) },
  ];

  private strayBrace(): Skipped {
    this.faults.report(this.next, 'Expected a declaration, found "}" although no block is open.');
    return this.stray(1, types.RightBrace);
  }

  private stray(index: number, type: TokenType): Skipped {
    const skipped = this.skipped(index, type, this.resumesFile);
    this.allowed = declaration;
    return skipped;
  }

  private readonly resumesFile = (i: number): boolean => this.marks.resumesFile(i);

  readonly importDeclaration = this.RULE('importDeclaration', (): ImportDeclaration => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Import);
    const names = this.OPTION(() => this.SUBRULE(this.importedNames));
    if (names !== undefined && !this.takes(1, types.From)) {
      this.faults.missing(this.next, '"from" after the imported names');
    }
    const path = this.OPTION2(() => this.text(0));
    if (path === undefined) {
      const after = this.marks.shown(this.next - 1);
      this.faults.missing(this.next, `a path such as "hardware.pipe" after "${after}"`);
    }
    const settings = this.OPTION3(() => this.SUBRULE(this.importSettings, { ARGS: [from] }));
    this.allowed = declaration;
    const { first, last, start, end } = this.places.node(from, this.next);
    const settled = settings === undefined ? {} : { settings };
    return { kind: 'import', first, last, start, end, doc, names, path, ...settled };
  });

  /** `with { nodes = 8 }`: params of the imported file. */
  readonly importSettings = this.RULE('importSettings', (from: number): Block | undefined => {
    this.CONSUME(types.With);
    const open = this.next;
    if (!this.takes(1, types.LeftBrace)) {
      this.faults.missing(open, '"{" after "with"');
      return undefined;
    }
    return this.body(from, open, this.entries);
  });

  readonly importedNames = this.RULE('importedNames', (): readonly Name[] => {
    const open = this.next;
    const { marks } = this;
    const names: Name[] = [];
    this.CONSUME(types.LeftBrace);
    const missing = (): void => this.faults.missing(this.next, `a name after "${marks.shown(this.next - 1)}"`);
    let ended = marks.is(this.next, types.RightBrace);
    if (!ended && !this.isImportedName(this.next)) {
      missing();
      ended = this.endsNames(this.next);
    }
    this.MANY({
      GATE: () => !ended,
      DEF: () => {
        if (names.length > 0 && !marks.is(this.next, types.Comma)) this.faults.unexpected(this.next, '"," or "}"');
        this.takes(0, types.Comma);
        if (this.isImportedName(this.next)) {
          this.CONSUME(types.Word);
          names.push(this.name(this.next - 1));
        } else if (names.length > 0) missing();
        ended = this.endsNames(this.next);
      },
    });
    if (!this.takes(1, types.RightBrace)) this.faults.unclosed(this.next, open, '}', 'the imported names');
    return names;
  });

  private isImportedName(i: number): boolean {
    return this.marks.isWord(i) && !this.endsNames(i);
  }

  private endsNames(i: number): boolean {
    const { marks } = this;
    if (marks.is(i, types.From)) return marks.isText(i + 1);
    return !(marks.isWord(i) || marks.is(i, types.Comma)) || marks.resumesFile(i);
  }

  readonly paramDeclaration = this.RULE('paramDeclaration', (): ParamDeclaration => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Param);
    const { name, value } = this.SUBRULE(this.binding, { ARGS: ['param'] });
    this.allowed = value === undefined ? 'a new declaration' : 'an operator, "in" or a new declaration';
    const range = this.OPTION(() => {
      this.CONSUME(types.In);
      return this.SUBRULE(this.expression, { ARGS: [false, true] });
    });
    if (range !== undefined) this.allowed = '"step" or a new declaration';
    const step = this.OPTION1(() => {
      this.CONSUME(types.Step);
      return this.SUBRULE1(this.expression);
    });
    if (step !== undefined) this.allowed = 'a new declaration';
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
    const { marks } = this;
    const assigned = this.takes(1, types.Equals);
    if (!assigned) {
      const after = name === undefined ? keyword : `${keyword} ${clip(name.text)}`;
      this.faults.missing(this.next, `"=" after "${after}"`);
    }
    // Without the "=", a name is probably the next declaration and no value.
    const follows = assigned || (marks.begins(this.next) && !marks.isWord(this.next));
    return { name, value: follows ? this.SUBRULE(this.expression) : undefined };
  });

  private declaredName(keyword: string, next: TokenType): Name | undefined {
    const i = this.next;
    const { marks } = this;
    if (!marks.isWord(i) || (marks.isDeclaration(i) && !marks.is(i + 1, next))) {
      this.faults.missing(i, `a name after "${keyword}"`);
      return undefined;
    }
    this.CONSUME(types.Word);
    return this.name(i);
  }

  readonly blockDeclaration = this.RULE('blockDeclaration', () => this.block(types.BlockKeyword, this.entries));

  readonly expectDeclaration = this.RULE('expectDeclaration', () => this.block(types.Expect, this.checks));

  /** `keyword name { … }`; a block with other contents has its own keyword token, and a rule above. */
  private block(type: TokenType, items: ParserMethod<[], readonly BlockItem[]>): BlockDeclaration {
    const from = this.next;
    const { marks } = this;
    const doc = this.places.documentation(from);
    this.CONSUME(type);
    const keyword = this.name(from);
    const name = this.declaredName(keyword.text, types.LeftBrace);
    const open = this.next;
    const opened = this.takes(1, types.LeftBrace);
    if (!opened) {
      const what = name === undefined ? keyword.text : `${keyword.text} ${clip(name.text)}`;
      this.faults.missing(open, `"{" after "${what}"`);
    }
    // Where an entry follows, only the "{" is missing: the body is read all the same.
    const follows = opened || (marks.isEntry(open) && !marks.isDeclaration(open));
    const body = follows ? this.body(from, open, items) : undefined;
    this.allowed = declaration;
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'block', first, last, start, end, doc, keyword, name, body };
  }
}
