import { UnknownCommand } from '../../../src/agent/replication/state-machine.ts'
import { isAtLeast, type Release, releaseText } from '../../../src/model/release.ts'
import { checker, type Judge } from '../checker.ts'

/**
 * D2. A server stops at a replicated command that its release does not know, and only then: if it went on without the
 * command, its state would differ from the others'. R5 checks that the states are equal once it runs a release that
 * knows the command.
 */
export class FailStop {
  readonly #sinceOf: (kind: string) => Release | undefined
  readonly #judge: Judge<{ D2: never }>

  /** `sinceOf`: the release that brought a kind of command. */
  constructor(judge: Judge<{ D2: never }>, sinceOf: (kind: string) => Release | undefined) {
    this.#judge = judge
    this.#sinceOf = sinceOf
  }

  carriedOut(node: string, release: Release, kind: string, index: number): void {
    if (this.#isKnown(release, kind)) return
    this.#judge.judged('D2')
    this.#judge.report(
      'D2',
      `${node} applied '${kind}' at ${index}, which release ${releaseText(release)} does not know`,
    )
  }

  /** The server stopped itself, because it did not know this command. */
  stopped(node: string, release: Release, kind: string, index: number): void {
    this.#judge.judged('D2')
    if (!this.#isKnown(release, kind)) return
    this.#judge.report('D2', `${node} stopped at '${kind}' at ${index}, which release ${releaseText(release)} knows`)
  }

  #isKnown(release: Release, kind: string): boolean {
    const since = this.#sinceOf(kind)
    return since !== undefined && isAtLeast(release, since)
  }
}

export const failStop = checker({
  codes: {
    D2: {
      text: 'fail-stop: a server stops at a command that its release does not know, and at no other',
      sources: ['docs/reference/releases.md#internal-protocol'],
      evidence: ['commands', 'entries', 'complaints'],
      judges: ['stop at a command', 'stops at commands'],
    },
  },
  make: (run) => new FailStop(run, run.sinceOf),
  takes: {
    'command carried out': (it, { node, release, kind, index }) => it.carriedOut(node, release, kind, index),
    'process panicked': (it, { node, release, violation }) => {
      if (violation instanceof UnknownCommand) it.stopped(node, release, violation.kind, violation.index)
    },
  },
})
