import { fileURLToPath } from 'node:url'
import { createHostEnv } from '../src/host/env.ts'
import { exitOnUnexpectedErrors } from '../src/host/fatal.ts'
import { terminalSink } from '../src/host/log.ts'
import { createTerminal, exit } from '../src/host/terminal.ts'
import { newestRelease, releaseText } from '../src/model/release.ts'
import { runSimCli } from './cli/program.ts'
import { cpuTimeVariable, reportCpuTime } from './platform/cpu-time.ts'
import { createPlatform } from './platform/platform.ts'
import { createWorkshop } from './platform/program-copy.ts'

/** Runs `svc-sim` in this process, to its end. */
export async function main(): Promise<never> {
  exitOnUnexpectedErrors('svc-sim')
  if (process.env[cpuTimeVariable] === '1') reportCpuTime()
  const env = createHostEnv({ logSink: terminalSink((text) => void process.stderr.write(text)), logLevel: 'error' })
  const terminal = createTerminal(env.log)
  // From a turn of the event loop of its own: at a module's top level Node drains its queues in another order.
  await new Promise<void>((resolve) => setImmediate(resolve))
  return exit(
    await runSimCli(terminal.argv, {
      out: terminal.out,
      error: terminal.error,
      disk: env.disk,
      wallMs: () => performance.now(),
      createPlatform,
      createWorkshop: () => createWorkshop(fileURLToPath(new URL('../..', import.meta.url))),
      version: releaseText(newestRelease),
    }),
  )
}
