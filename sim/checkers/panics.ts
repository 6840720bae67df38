import type { StartFailure } from '../../src/agent/boot/lifecycle.ts'
import { UnknownCommand } from '../../src/agent/replication/state-machine.ts'
import { checker, type Judge } from './checker.ts'

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
        'failing disk': 'A process stops, or does not start, because its disk is full or fails; that process.',
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
  make: (judge): Judge<{ P1: PanicExcuse; P2: never }> => judge,
  takes: {
    'process began': (judge) => judge.judged('P1'),
    'answer shown': (judge) => judge.judged('P2'),
    'process told': (judge, { node, what }) => {
      const fault = faults.get(what)
      if (fault !== undefined) judge.report('P2', `${node} ${fault}: see its log`)
    },
    'process panicked': (judge, { node, violation }) => {
      if (violation instanceof UnknownCommand) judge.excused('P1', 'unknown command')
      else judge.report('P1', `${node} panics: ${violation.message}`)
    },
    'process did not start': (judge, { isDamaged, kind }) => judge.excused('P1', whyNot(isDamaged, kind)),
    'process stopped by its disk': (judge) => judge.excused('P1', 'failing disk'),
    'start failed': (judge, { node, message }) => judge.report('P1', `${node} does not start: ${message}`),
  },
})
