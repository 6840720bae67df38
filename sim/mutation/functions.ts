import type ts from 'typescript'
import type { Compiler } from './operators/change.ts'
import { parsed } from './walk.ts'

/** A function of a built module; lines are counted from 0. */
export interface FunctionPlace {
  readonly name: string
  readonly first: number
  readonly last: number
}

/** Finds the functions that contain places of built modules: the innermost one with a name. */
export class Functions {
  readonly #ts: Compiler
  readonly #read: (file: string) => string | undefined
  readonly #sources = new Map<string, ts.SourceFile>()

  constructor(ts: Compiler, read: (file: string) => string | undefined) {
    this.#ts = ts
    this.#read = read
  }

  /** Undefined: no function contains it. */
  at(file: string, { line, column }: { readonly line: number; readonly column: number }): FunctionPlace | undefined {
    const source = this.#source(file)
    const position = source.getPositionOfLineAndCharacter(line, column)
    let found: FunctionPlace | undefined
    const visit = (node: ts.Node): void => {
      if (position < node.getStart(source) || position >= node.end) return
      const name = this.#nameOf(node)
      if (name !== undefined)
        found = { name, first: lineOf(source, node.getStart(source)), last: lineOf(source, node.end) }
      this.#ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  }

  #source(file: string): ts.SourceFile {
    const known = this.#sources.get(file) ?? parsed(this.#ts, file, this.#read(file) ?? '')
    this.#sources.set(file, known)
    return known
  }

  #nameOf(node: ts.Node): string | undefined {
    const compiler = this.#ts
    if (!compiler.isFunctionLike(node)) return undefined
    if (compiler.isConstructorDeclaration(node)) return 'constructor'
    const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined)
    return named === undefined || !('text' in named) ? undefined : String(named.text)
  }
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line
}
