import { textOf } from '../../../src/base/bytes.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { Program } from '../../env/machine.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'

interface LoggerWorld {
  /** The agent on whose machine the program is. */
  readonly node: string
  /** The chance that a run fails. */
  readonly failing: number
  readonly decisions: Decisions
  readonly tell: Tell
}

/** A run takes up to this long. */
const afterMsMax = 20

/**
 * `logger` of util-linux, as far as agents use it: it hands the lines of its standard input to a daemon. A run that
 * fails has handed over none of them, some, or all.
 */
export function loggerProgram({ node, failing, decisions, tell }: LoggerWorld): Program {
  let runs = 0
  return ({ input }) => {
    const draws = decisions.draws('logger', node, ++runs)
    const lines = textOf(input).split('\n').slice(0, -1)
    const isFailure = draws.chance(failing)
    const handed = isFailure ? lines.slice(0, draws.below(lines.length + 1)) : lines
    tell('log handed over', { node, lines: handed, isFailure })
    const output = isFailure ? 'logger: send message failed: Connection refused\n' : ''
    return { afterMs: draws.below(afterMsMax), exit: isFailure ? 1 : 0, output }
  }
}
