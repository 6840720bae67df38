/** What the tests of signals, terminal and unexpected errors run in a process of its own. */
import { InvariantViolation } from '../../../dist/src/base/invariant.js'
import { exitOnUnexpectedErrors } from '../../../dist/src/host/fatal.js'
import { onSignal } from '../../../dist/src/host/signals.js'
import { createTerminal, exit } from '../../../dist/src/host/terminal.js'

const terminal = createTerminal()
const parts = {
  throw: () => {
    setImmediate(() => {
      throw new InvariantViolation('two leaders\nin one term', { term: 7 })
    })
  },
  reject: () => void Promise.reject(new TypeError('nobody waits for me')),
  odd: () => void Promise.reject('not an error'),
  signals: () => {
    const waiting = setInterval(() => undefined, 1_000_000)
    const hangup = onSignal('SIGHUP', () => terminal.out('hangup\n'))
    onSignal('SIGTERM', () => {
      terminal.out('asked to end\n')
      hangup.close()
      clearInterval(waiting)
    })
    terminal.out('ready\n')
  },
  echo: async () => {
    const input = await terminal.readInput()
    terminal.out(
      `${terminal.argv.slice(1).join('|')} ${terminal.environment.get('GIVEN')} ${input.ok && input.value.length}`,
    )
    terminal.error(String(terminal.interactive))
    await exit(5)
  },
  much: async () => {
    for (let i = 0; i < 50_000; i++) terminal.out('a line of some length that fills the pipe\n')
    await exit(0)
  },
}

exitOnUnexpectedErrors('svc')
await parts[terminal.argv[0]]()
