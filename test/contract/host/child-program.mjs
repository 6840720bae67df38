/** What the tests of signals, terminal and unexpected errors run in a process of its own. */
import { InvariantViolation } from '../../../dist/src/base/invariant.js'
import { hostClock } from '../../../dist/src/host/clock.js'
import { exitOnUnexpectedErrors } from '../../../dist/src/host/fatal.js'
import { HostLog } from '../../../dist/src/host/log.js'
import { onSignal } from '../../../dist/src/host/signals.js'
import { createTerminal, exit } from '../../../dist/src/host/terminal.js'

const log = new HostLog(hostClock, () => undefined, 'info', true)
const terminal = createTerminal(log)
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
  log: async () => {
    terminal.openLog({ json: false, file: '', rotateBytes: 0, rotateMs: 1_000, oldFilesMax: 0 })
    terminal.showLog('info')
    for (let i = 0; i < 3; i++) {
      log.write('info', 'agent', 'a line')
      await new Promise((resolve) => setImmediate(resolve))
    }
    await exit(0)
  },
  much: async () => {
    for (let i = 0; i < 50_000; i++) terminal.out('a line of some length that fills the pipe\n')
    await exit(0)
  },
}

exitOnUnexpectedErrors('svc')
await parts[terminal.argv[0]]()
