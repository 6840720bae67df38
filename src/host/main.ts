import { runCli } from '../cli/program.ts'
import { createHostEnv } from './env.ts'
import { exitOnUnexpectedErrors } from './fatal.ts'
import { terminalSink } from './log.ts'
import { createTerminal, exit, ownName } from './terminal.ts'

/** Runs `svc` in this process, to its end. `revision`: that of the source from which it was built, if known. */
export async function main(_argv?: readonly string[], revision?: string): Promise<never> {
  exitOnUnexpectedErrors(ownName(), 1)
  const logSink = terminalSink((text) => void process.stdout.write(text))
  const env = createHostEnv({ logSink, logLevel: 'trace', logHeld: true })
  const terminal = createTerminal(env.log, revision)
  const code = await runCli(terminal.argv, env, terminal)
  // Programs of checks run in process groups of their own: one that still runs would outlive this process.
  env.close()
  return exit(code)
}
