import type { StartFailure } from '../../src/agent/boot/lifecycle.ts'
import { UnknownCommand } from '../../src/agent/replication/state-machine.ts'
import { checker, type Judge } from './checker.ts'
import type { Facts } from './facts.ts'

/** Why a process may end by itself, or not start. */
type PanicExcuse = 'unknown command' | 'failing disk' | 'rotten disk' | 'strange log'

/** Why a process did not start, if the scenario explains it. */
function whyNot(isDamaged: boolean, kind: StartFailure['kind']): PanicExcuse {
  if (isDamaged) return 'rotten disk'
  return kind === 'old-format' ? 'strange log' : 'failing disk'
}

/** The text of the log line for a request that ended in an exception of the program. */
export const routeThrew = 'a route threw'
/** The text of the log line for a request for which the program made a malformed command. */
export const malformedCommand = 'a command that no server could read is not proposed'

/** Lines of the log that only a fault of the program writes. */
const faults: ReadonlyMap<string, string> = new Map([
  [`http: ${routeThrew}`, 'threw while it answered a request'],
  [`agent: ${malformedCommand}`, 'made a command that no server could read, and refuses the request for it'],
])

/** Whether a text names this path, and not only one below it or beside it. */
function isNamedIn(text: string, path: string): boolean {
  const parts = text.split(path)
  return parts.slice(1).some((after) => !/^(?:[/\w-]|[.]\w)/.test(after))
}

/** How processes end. One that ends because of its disk says which file it was that failed. */
class Ends {
  readonly #judge: Judge<{ P1: PanicExcuse; P2: never }>
  /** By node, the files and directories of which some operation failed, or had no space, since its process began. */
  readonly #failed = new Map<string, Set<string>>()

  constructor(judge: Judge<{ P1: PanicExcuse; P2: never }>) {
    this.#judge = judge
  }

  began(node: string): void {
    this.#judge.judged('P1')
    this.#failed.delete(node)
  }

  failed(node: string, path: string): void {
    const paths = this.#failed.get(node) ?? new Set()
    this.#failed.set(node, paths.add(path))
  }

  /** `verb`: what the process does for this reason. */
  ended({ node, said }: Facts['process stopped by its disk'], verb: string): void {
    this.#judge.excused('P1', 'failing disk')
    const paths = [...(this.#failed.get(node) ?? [])]
    if (paths.some((path) => isNamedIn(said, path))) return
    this.#judge.report('P1', `${node} ${verb} and names no file of which an operation failed: ${said}`)
  }

  panicked({ node, violation }: Facts['process panicked']): void {
    if (violation instanceof UnknownCommand) this.#judge.excused('P1', 'unknown command')
    else this.#judge.report('P1', `${node} panics: ${violation.message}`)
  }

  didNotStart(fact: Facts['process did not start']): void {
    const excuse = whyNot(fact.isDamaged, fact.kind)
    if (excuse === 'failing disk') this.ended(fact, 'does not start')
    else this.#judge.excused('P1', excuse)
  }

  told(node: string, what: string): void {
    const fault = faults.get(what)
    if (fault !== undefined) this.#judge.report('P2', `${node} ${fault}: see its log`)
  }

  report(message: string): void {
    this.#judge.report('P1', message)
  }

  answered(): void {
    this.#judge.judged('P2')
  }
}

/**
 * P1 and P2: processes that stopped because of a broken invariant of their own or did not start, and requests that
 * failed because of a fault of the program: an exception, or a malformed command.
 */
export const panics = checker({
  codes: {
    P1: {
      text: 'no panic: no agent reaches a state that its own invariants exclude, and none fails to start',
      sources: ['docs/architecture/formats.md#failures'],
      evidence: ['complaints', 'entries', 'snapshots'],
      judges: ['process', 'processes'],
      excuses: {
        'unknown command': 'A server stops at a command that its release does not know, which D2 judges; that process.',
        'failing disk':
          'A process stops, or does not start, because its disk is full or fails, and names the file; that process.',
        'rotten disk':
          'A process does not start on a disk on which the scenario let bits rot; until the machine is replaced.',
        'strange log': 'A release refuses a log of a form that it does not know, where there is one; that process.',
      },
    },
    P2: {
      text: 'no fault of the program: no agent refuses a request because its program threw, or made a malformed command',
      sources: ['src/http/README.md'],
      evidence: ['requests', 'complaints'],
      judges: ['answer over HTTP', 'answers over HTTP'],
    },
  },
  make: (judge) => new Ends(judge),
  takes: {
    'process began': (it, { node }) => it.began(node),
    'disk operation failed': (it, { node, path }) => it.failed(node, path),
    'answer shown': (it) => it.answered(),
    'disk found full': (it, { node, path }) => it.failed(node, path),
    'process told': (it, { node, what }) => it.told(node, what),
    'process panicked': (it, fact) => it.panicked(fact),
    'process did not start': (it, fact) => it.didNotStart(fact),
    'process stopped by its disk': (it, fact) => it.ended(fact, 'stops'),
    'start failed': (it, { node, message }) => it.report(`${node} does not start: ${message}`),
  },
})
