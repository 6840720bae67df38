import { UnknownCommand } from '../../src/agent/replication/state-machine.ts'
import { checker, type Judge } from './checker.ts'

/** P1. Told by the cluster: an agent stopped itself over what it holds impossible, or did not start, and nothing explains it. */
export const panics = checker({
  codes: {
    P1: {
      text: 'no panic: no agent finds itself in a state that its own invariants exclude, and none fails to start',
      sources: ['docs/architecture/formats.md#failures'],
      judges: ['process', 'processes'],
    },
  },
  make: (judge): Judge<{ P1: never }> => judge,
  takes: {
    'process panicked': (judge, { node, violation }) => {
      if (!(violation instanceof UnknownCommand)) judge.report('P1', `${node} panics: ${violation.message}`)
    },
    'start failed': (judge, { node, message }) => judge.report('P1', `${node} does not start: ${message}`),
  },
})
