import type ts from 'typescript'
import type { Compiler } from './operators/change.ts'

/** A text in a module of the program: a string, or a fixed part of a template. */
export interface Literal {
  readonly text: string
  /** The built module, such as `src/raft/core/commit.js`. */
  readonly file: string
  /** Where it begins in the built module. */
  readonly at: { readonly line: number; readonly column: number }
}

/** Shorter texts stand in too many places to lead to one. */
const lengthMin = 6

/** Every text of a module that it can report: without the names of modules that it imports. */
export function literalsOf(ts: Compiler, source: ts.SourceFile, file: string): readonly Literal[] {
  const found: Literal[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (isText(ts, node)) {
      const text = node.text.trim()
      const { line, character: column } = source.getLineAndCharacterOfPosition(node.getStart(source))
      if (text.length >= lengthMin) found.push({ text, file, at: { line, column } })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isText(ts: Compiler, node: ts.Node): node is ts.Node & { readonly text: string } {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  )
}
