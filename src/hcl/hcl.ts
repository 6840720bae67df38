import { err, ok, type Result } from '../base/result.ts'
import { Parser } from './parser.ts'
import { HclError, type HclProblem, problemOf } from './problem.ts'
import type { HclBlock } from './tree.ts'

/**
 * Reads HCL 1, the language in which people write configuration and rules in the field. Every block in it is a list,
 * for its name may be repeated; a caller that knows which names may not be repeated unwraps them. Source: the field's
 * parser, whose results tests compare with these. `itemsMax` bounds the values and labels in it.
 */
export function parseHcl(text: string, itemsMax?: number): Result<HclBlock, HclProblem> {
  try {
    return ok(new Parser(text, itemsMax).file())
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause
    return err(problemOf(cause))
  }
}
