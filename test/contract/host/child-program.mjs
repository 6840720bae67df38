/** What the tests of signals, terminal and unexpected errors run in a process of its own. */
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { InvariantViolation } from '../../../dist/src/base/invariant.js'
import { hostClock } from '../../../dist/src/host/clock.js'
import { createHostEnv } from '../../../dist/src/host/env.js'
import { exitOnUnexpectedErrors } from '../../../dist/src/host/fatal.js'
import { HostLog } from '../../../dist/src/host/log.js'
import { createTerminal, exit, onSignal } from '../../../dist/src/host/terminal.js'
import { HostTimers } from '../../../dist/src/host/timers.js'

const log = new HostLog({ clock: hostClock, timers: new HostTimers(hostClock) }, () => undefined, 'info', true)
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
  descriptors: async () => {
    const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
    const nowhere = { host: '127.0.0.1', port: 1 }
    const tell = async () => {
      const { mayOpen, residentBytes, heapBytes } = env.machine.process()
      const ran = await env.processes.run(['/bin/true'], { timeoutMs: 10_000, outputBytesMax: 10 })
      const dialled = await env.tcp.dial(nowhere, { timeoutMs: 1_000 })
      const listening = await env.tcp.listen({ ...nowhere, port: 0 }, () => undefined)
      if (listening.ok) listening.value.close()
      const file = await env.disk.open(fileURLToPath(import.meta.url), 'read')
      if (file.ok) await file.value.close()
      const synced = await env.disk.syncDirectory(fileURLToPath(new URL('.', import.meta.url)))
      const known = residentBytes > 0 && heapBytes > 0 && env.machine.condition().kernelVersion !== ''
      const did = [ran, listening, file].map(({ ok }) => ok)
      const failed = [file, synced].map((result) => (result.ok ? 'well' : result.error.kind))
      const said = [mayOpen, known, ...did, ...failed, dialled.error.message ?? dialled.error.kind]
      if (mayOpen) said.push(env.machine.interfaces().length > 0)
      else env.machine.interfaces()
      terminal.out(`${said.join(' ')}\n`)
    }
    await tell()
    const open = []
    try {
      for (;;) open.push(openSync('/dev/null', 'r'))
    } catch {
      await tell()
    }
    for (const descriptor of open) closeSync(descriptor)
    await tell()
    await exit(0)
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

exitOnUnexpectedErrors('svc', 1)
await parts[terminal.argv[0]]()
