import type { AgentConfig } from '../agent/agent-config.ts'
import { loadConfig } from '../config/load.ts'
import { problemText } from '../config/problem.ts'
import { endpointText } from '../env/net.ts'
import type { Terminal } from '../env/terminal.ts'
import { failureText } from '../model/failure.ts'
import { productTitle } from '../model/names.ts'
import { newestRelease, releaseText } from '../model/release.ts'
import { type Program, startProgram } from '../program/start.ts'
import type { Invocation } from './command.ts'

const logLevels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERR: 'error' } as const

/** A graceful stop that takes longer is cut short. */
const stopWithinMs = 15_000

/** Runs an agent until it is stopped and gives the exit code. Reference: CLI 3. */
export async function runAgent(invocation: Invocation): Promise<number> {
  const { terminal, env, flags, args } = invocation
  if (args.length > 0) return stopped(terminal, `config: Unknown extra arguments: [${args.join(' ')}]`)
  const loaded = await loadConfig(env, flags)
  if (!loaded.ok) {
    for (const problem of loaded.error) terminal.error(`==> ${problemText(problem)}\n`)
    return 1
  }
  const { config, warnings } = loaded.value
  for (const warning of warnings) terminal.out(`${warning}\n`)
  terminal.out(`==> Starting ${productTitle} agent...\n`)
  const program = await startProgram(env, config)
  if (!program.ok) return stopped(terminal, `Error starting agent: ${program.error.message}: ${program.error.remedy}`)
  terminal.out(banner(config, program.value))
  terminal.showLog(logLevels[config.logLevel])
  return untilStopped(invocation, config, program.value)
}

function stopped(terminal: Terminal, message: string): number {
  terminal.error(`==> ${message}\n`)
  return 1
}

/** Reference: CLI 3. */
function banner(config: AgentConfig, program: Program): string {
  const { ports } = config
  const rows: readonly (readonly [string, string])[] = [
    ['Version', `'v${releaseText(newestRelease)}'`],
    ['Node ID', `'${program.agent.self().nodeId}'`],
    ['Node name', `'${config.nodeName}'`],
    ['Datacenter', `'${config.datacenter}' (Segment: '<all>')`],
    ['Server', `${config.server} (Bootstrap: ${config.bootstrap && !config.dev})`],
    ['Client Addr', `[${config.clientAddresses.join(' ')}] (HTTP: ${ports.http}, HTTPS: -1, gRPC: -1, DNS: -1)`],
    ['Cluster Addr', `${config.advertiseAddress} (Server: ${endpointText(program.agent.self().advertise)})`],
    ['Encrypt', 'Gossip: false, TLS-Outgoing: false, TLS-Incoming: false'],
  ]
  const lines = rows.map(([name, value]) => `${name.padStart(18)}: ${value}\n`)
  return `==> ${productTitle} agent running!\n${lines.join('')}\n==> Log data will now stream in as it occurs:\n\n`
}

/** Ends by a signal, or because the agent met something it must not live with. */
async function untilStopped({ env, terminal }: Invocation, config: AgentConfig, program: Program): Promise<number> {
  const over = env.deferred<number>()
  let stopping = false
  program.agent.onFatal((failure) => {
    const text = failure instanceof Error ? failure.message : failureText(failure)
    env.log.write('error', 'agent', 'stopping', { reason: text })
    over.resolve(1)
  })
  const stop = (signal: string, leaves: boolean): void => {
    if (stopping) {
      env.log.write('info', 'agent', 'Caught second signal, exiting')
      return over.resolve(1)
    }
    stopping = true
    env.log.write('info', 'agent', 'Caught signal', { signal })
    if (leaves)
      env.log.write(
        'warn',
        'agent',
        'leaving the cluster needs the gossip pool, which is not there yet: stopping without it',
      )
    else env.log.write('info', 'agent', 'Graceful shutdown disabled. Exiting')
    env.timers.after(stopWithinMs, () => over.resolve(1))
    env.detach(program.stop().then(() => over.resolve(1)))
  }
  terminal.onSignal('SIGINT', () => stop('interrupt', !config.skipLeaveOnInterrupt))
  terminal.onSignal('SIGTERM', () => stop('terminated', config.leaveOnTerminate))
  terminal.onSignal('SIGHUP', () =>
    env.log.write('warn', 'agent', 'reloading the configuration is not there yet: nothing changed'),
  )
  const code = await over.promise
  env.log.write('info', 'agent', 'Exit code', { code })
  return code
}
