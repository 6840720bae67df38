import { err, ok, type Result } from '../base/result.ts'
import { Lexer } from './lexer.ts'
import { Parser } from './parser.ts'
import { HclError, type HclProblem, problemOf } from './problem.ts'
import type { HclBlock } from './tree.ts'

/**
 * Parses HCL 1, the field's language for configuration and rules. Every block in it is a list, because its name may be
 * repeated; a caller that knows which names may not be repeated unwraps them. Source: the field's parser, with whose
 * results tests compare these. `itemsMax` limits the number of values and labels in it.
 */
export function parseHcl(text: string, itemsMax?: number): Result<HclBlock, HclProblem> {
  const lexer = new Lexer(text)
  try {
    return ok(new Parser(lexer, itemsMax).file())
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause
    return err({ ...problemOf(cause), endsInComment: lexer.endsInComment })
  }
}
