import { UnknownCommand } from '../../src/agent/replication/state-machine.ts'
import { checker } from './checker.ts'

/** P1. Told by the cluster: an agent stopped itself over what it holds impossible, or did not start, and nothing explains it. */
export const panics = checker({
  codes: {
    P1: {
      text: 'no panic: no agent finds itself in a state that its own invariants exclude, and none fails to start',
      sources: ['docs/architecture/formats.md#failures'],
    },
  },
  make: ({ report }) => report,
  takes: {
    'process panicked': (report, { node, violation }) => {
      if (!(violation instanceof UnknownCommand)) report('P1', `${node} panics: ${violation.message}`)
    },
    'start failed': (report, { node, message }) => report('P1', `${node} does not start: ${message}`),
  },
})
