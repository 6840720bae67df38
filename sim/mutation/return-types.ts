import type ts from 'typescript'
import type { Compiler } from './operators/change.ts'

/** Types whose values may be nothing whatever their arguments, or that say nothing about their values. */
const openTypes = /^(?:ReturnType|Awaited|Parameters|Extract|Exclude|NonNullable)$/
/** Maximum number of nested aliases that are resolved. */
const aliasesMax = 4

/** Tells whether the declared type of a function in the sources excludes returning nothing. */
export class ReturnTypes {
  readonly #ts: Compiler
  readonly #read: (file: string) => string | undefined
  readonly #sources = new Map<string, ts.SourceFile | undefined>()

  /** `read`: the text of a source, such as `src/raft/core/log.ts`; undefined: it does not exist. */
  constructor(compiler: Compiler, read: (file: string) => string | undefined) {
    this.#ts = compiler
    this.#read = read
  }

  /**
   * Whether the innermost function around a place (line and column counted from 0) declares a return type without
   * `undefined`, `void` and `null`, and without a type parameter, which could be one of these. False if it declares
   * none, and for a generator, whose type is not that of its returned value.
   */
  promisesSomething(file: string, { line, column }: { readonly line: number; readonly column: number }): boolean {
    const source = this.#source(file)
    if (source === undefined || line >= source.getLineStarts().length) return false
    const position = source.getPositionOfLineAndCharacter(line, 0) + column
    let around: ts.SignatureDeclaration | undefined
    const visit = (node: ts.Node): void => {
      if (position < node.getStart(source) || position >= node.end) return
      if (this.#ts.isFunctionLike(node)) around = node
      this.#ts.forEachChild(node, visit)
    }
    visit(source)
    if (around === undefined || ('asteriskToken' in around && around.asteriskToken !== undefined)) return false
    return around.type !== undefined && !this.#mayBeNothing(around.type, source, aliasesMax)
  }

  #mayBeNothing(type: ts.TypeNode, source: ts.SourceFile, aliases: number): boolean {
    const compiler = this.#ts
    const kinds = compiler.SyntaxKind
    if (compiler.isUnionTypeNode(type)) return type.types.some((each) => this.#mayBeNothing(each, source, aliases))
    if (compiler.isIntersectionTypeNode(type))
      return type.types.every((each) => this.#mayBeNothing(each, source, aliases))
    if (compiler.isParenthesizedTypeNode(type)) return this.#mayBeNothing(type.type, source, aliases)
    if (compiler.isLiteralTypeNode(type)) return type.literal.kind === kinds.NullKeyword
    if (!compiler.isTypeReferenceNode(type)) {
      const something: readonly ts.SyntaxKind[] = [
        kinds.StringKeyword,
        kinds.NumberKeyword,
        kinds.BigIntKeyword,
        kinds.BooleanKeyword,
        kinds.ArrayType,
        kinds.TupleType,
        kinds.TypeOperator,
        kinds.FunctionType,
        kinds.TypeLiteral,
      ]
      return !something.includes(type.kind)
    }
    const name = type.typeName.getText(source)
    const [first] = type.typeArguments ?? []
    if (name === 'Promise') return first === undefined || this.#mayBeNothing(first, source, aliases)
    if (openTypes.test(name) || name.length === 1) return true
    return this.#mayAliasBeNothing(name, source, aliases)
  }

  /** For a name of this file, its declaration counts; an imported name is assumed to exclude nothing. */
  #mayAliasBeNothing(name: string, source: ts.SourceFile, aliases: number): boolean {
    const compiler = this.#ts
    const isParameter = (node: ts.Node): boolean =>
      (compiler.isTypeParameterDeclaration(node) && node.name.text === name) ||
      compiler.forEachChild(node, (child) => isParameter(child) || undefined) === true
    const alias = source.statements.find(
      (node): node is ts.TypeAliasDeclaration => compiler.isTypeAliasDeclaration(node) && node.name.text === name,
    )
    if (alias !== undefined) return aliases === 0 || this.#mayBeNothing(alias.type, source, aliases - 1)
    return isParameter(source)
  }

  #source(file: string): ts.SourceFile | undefined {
    if (this.#sources.has(file)) return this.#sources.get(file)
    const text = this.#read(file)
    const { ScriptTarget, ScriptKind } = this.#ts
    const source =
      text === undefined ? undefined : this.#ts.createSourceFile(file, text, ScriptTarget.ES2023, true, ScriptKind.TS)
    this.#sources.set(file, source)
    return source
  }
}
