import { invariant } from '../../base/invariant.ts'
import type { Result } from '../../base/result.ts'
import type { CommandDefinition } from '../../features/contract/command.ts'
import type { Failure } from '../../model/failure.ts'

/** What came of an applied command. Its name proves the type of the outcome to the caller that proposed the command. */
export class CommandOutcome<Outcome = unknown> {
  readonly kind: string
  readonly result: Result<Outcome, Failure>

  constructor(kind: string, result: Result<Outcome, Failure>) {
    this.kind = kind
    this.result = result
  }
}

/** The result of a proposed command, from what the state machine returned for its entry of the log. */
export function resultOf<Body, Outcome>(
  command: CommandDefinition<Body, Outcome>,
  applied: unknown,
): Result<Outcome, Failure> {
  invariant(isOutcomeOf(command, applied), 'an entry of the log was applied as the command that it is')
  return applied.result
}

function isOutcomeOf<Body, Outcome>(
  command: CommandDefinition<Body, Outcome>,
  applied: unknown,
): applied is CommandOutcome<Outcome> {
  return applied instanceof CommandOutcome && applied.kind === command.kind
}
